import { flushCompileCache } from 'node:module';
import { ConnectorError } from '../../connector.ts';
import { endWithService } from '../../embedded/child/end-with-service.ts';
import { frameTypes } from '../../embedded/frames.ts';
import { loadDriver } from '../../load-driver.ts';
import type { FailureReport, FileToOpen, Request } from '../protocol.ts';
import { ActiveRequest } from './active-request.ts';
import { OutOfMemoryError } from './engine-error.ts';
import { Link } from './link.ts';
import type { OpenDatabase } from './open.ts';

/** The process that runs DuckDB on one file. It runs several requests at once. */
function main(): void {
  endWithService();
  const active = new Map<number, ActiveRequest>();
  let database: OpenDatabase | undefined;
  let finishedAt = Number.NEGATIVE_INFINITY; // the latest request

  const link = new Link({
    receive(channel, message) {
      switch (message.type) {
        case 'more':
        case 'stop':
        case 'commit':
          active.get(channel)?.receive(message); // a finished request needs no signals
          return;
        default:
          void handle(channel, message);
      }
    },
    async onClosed() {
      for (const request of active.values()) request.receive({ type: 'stop' });
      await database?.close();
      process.exit(0);
    },
  });

  async function handle(channel: number, message: Request): Promise<void> {
    const request = new ActiveRequest(channel, link);
    active.set(channel, request);
    try {
      if (message.type === 'open') {
        database = await open(message);
        link.sendJson(channel, frameTypes.reply, null);
        flushCompileCache(); // a killed process would not write it
        return;
      }
      if (database === undefined) throw new Error('The file is not open.');
      await request.run(database, message);
    } catch (error) {
      const isShared = active.size > 1 || performance.now() - finishedAt < freeingMs;
      link.sendJson(channel, frameTypes.failure, reportOf(error, isShared));
    } finally {
      active.delete(channel);
      if (message.type !== 'open') finishedAt = performance.now();
    }
  }
}

async function open(file: FileToOpen): Promise<OpenDatabase> {
  const { openDatabase } = await loadDriver('DuckDB', () => import('./open.ts'));
  return openDatabase(file);
}

const freeingMs = 5000; // the allocator may take as long to return the memory of a request that has finished

/** `isShared`: the process runs other requests, too. */
function reportOf(error: unknown, isShared: boolean): FailureReport {
  if (!(error instanceof ConnectorError))
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  if (error instanceof OutOfMemoryError && isShared) {
    const message = `${error.message} Another query may have been the cause; call again.`;
    return { kind: 'unavailable', message, isForAuthors: true };
  }
  const { kind, message, position } = error;
  return { kind, message, position };
}

main();
