import { flushCompileCache } from 'node:module';
import { Socket } from 'node:net';
import type { Column } from '../../../core/column.ts';
import { ConnectorError } from '../../connector.ts';
import { endWithService } from '../../embedded/child/end-with-service.ts';
import {
  batchesAhead,
  byteLength,
  creditFor,
  type EngineRequest,
  type FileToOpen,
  frameHeader,
  FrameReader,
  frameTypes,
  reportOf,
  type Signal,
} from '../../embedded/frames.ts';
import { loadDriver } from '../../load-driver.ts';
import { OutOfMemoryError } from './engine-error.ts';
import type { OpenDatabase } from './open.ts';
import type { ResultReceiver } from './run.ts';

/** The process that runs DuckDB on one file. It runs several requests at once. */
function main(): void {
  endWithService();
  const active = new Map<number, ActiveRequest>();
  let database: OpenDatabase | undefined;
  let finishedAt = Number.NEGATIVE_INFINITY; // the latest request

  function receive(channel: number, message: EngineRequest | Signal): void {
    switch (message.type) {
      case 'more':
      case 'stop':
      case 'commit':
        active.get(channel)?.receive(message); // a finished request needs no signals
        return;
      default:
        void handle(channel, message);
    }
  }

  async function handle(channel: number, message: EngineRequest): Promise<void> {
    const request = new ActiveRequest(channel);
    active.set(channel, request);
    try {
      if (message.type === 'open') {
        database = await open(message);
        request.sendJson(frameTypes.reply, null);
        flushCompileCache(); // a killed process would not write it
        return;
      }
      if (database === undefined) throw new Error('The file is not open.');
      await request.run(database, message);
    } catch (error) {
      const isShared = active.size > 1 || performance.now() - finishedAt < freeingMs;
      request.sendJson(frameTypes.failure, reportOf(errorOf(error, isShared)));
    } finally {
      active.delete(channel);
      if (message.type !== 'open') finishedAt = performance.now();
    }
  }

  const reader = new FrameReader(({ channel, payload }) => receive(channel, JSON.parse(payload.toString()))); // written by our own code
  socket.on('data', (chunk) => reader.read(chunk));
  socket.on('error', () => {}); // the service has ended, and this process ends with it
  socket.on('end', async () => {
    for (const request of active.values()) request.receive({ type: 'stop' });
    await database?.close();
    process.exit(0);
  });
}

async function open(file: FileToOpen): Promise<OpenDatabase> {
  const { openDatabase } = await loadDriver('DuckDB', () => import('./open.ts'));
  return openDatabase(file);
}

const freeingMs = 5000; // the allocator may take this long to free the memory of a request that has finished

/** `isShared`: the process runs other requests, too. */
function errorOf(error: unknown, isShared: boolean): ConnectorError {
  if (!(error instanceof ConnectorError))
    return new ConnectorError('failed', error instanceof Error ? error.message : String(error));
  if (!(error instanceof OutOfMemoryError) || !isShared) return error;
  const message = `${error.message} Another query may have been the cause; call again.`;
  return new ConnectorError('unavailable', message, { isForAuthors: true });
}

const socket = new Socket({ fd: 3, readable: true, writable: true }); // to the service

const mostUnsent = 1 << 16;
const longestUnsentMs = 25; // slow rows are not delayed by more

/** An active request, its signals, and its response. */
class ActiveRequest implements ResultReceiver {
  readonly #channel: number;
  readonly #abort = new AbortController();
  #credit = batchesAhead;
  #isToCommit = false;
  #wake: () => void = () => {};
  #unsent: Uint8Array[] = [];
  #unsentBytes = 0;
  #sending: NodeJS.Timeout | undefined;

  constructor(channel: number) {
    this.#channel = channel;
  }

  receive(signal: Signal): void {
    if (signal.type === 'more') this.#credit += signal.credit;
    else if (signal.type === 'commit') this.#isToCommit = true;
    else this.#abort.abort();
    this.#wake();
  }

  async run(database: OpenDatabase, request: Exclude<EngineRequest, { type: 'open' }>): Promise<void> {
    if (request.type !== 'run') {
      this.sendJson(frameTypes.reply, await database.reply(request, this.#abort.signal));
      return;
    }
    const begun = performance.now();
    await database.run(request.statement, this, this.#abort.signal);
    this.sendJson(frameTypes.end, performance.now() - begun);
  }

  columns(columns: readonly Column[]): void {
    this.sendJson(frameTypes.columns, columns);
  }

  async batch(parts: readonly Uint8Array[]): Promise<void> {
    const cost = creditFor(byteLength(parts));
    await this.#waitUntil(() => this.#credit >= cost);
    this.#credit -= cost;
    this.#send(frameTypes.batch, parts);
  }

  rowsRead(): Promise<void> {
    return this.#waitUntil(() => this.#credit === batchesAhead);
  }

  mayCommit(): Promise<void> {
    this.sendJson(frameTypes.epilogueRan, null);
    return this.#waitUntil(() => this.#isToCommit);
  }

  sendJson(type: number, content: unknown): void {
    this.#send(type, [Buffer.from(JSON.stringify(content))]);
  }

  /**
   * Columns and rows wait a moment for the end of the result, so that a small one takes one write here and is read as a whole in the service.
   * The parts may be overwritten afterwards.
   */
  #send(type: number, parts: readonly Uint8Array[]): void {
    const frame = Buffer.concat([frameHeader(type, this.#channel, byteLength(parts)), ...parts]);
    this.#unsent.push(frame);
    this.#unsentBytes += frame.length;
    const mayWait = (type === frameTypes.columns || type === frameTypes.batch) && this.#unsentBytes < mostUnsent;
    if (mayWait) this.#sending ??= setTimeout(() => this.#flush(), longestUnsentMs);
    else this.#flush();
  }

  #flush(): void {
    clearTimeout(this.#sending);
    this.#sending = undefined;
    if (this.#unsent.length > 0) socket.write(Buffer.concat(this.#unsent));
    this.#unsent = [];
    this.#unsentBytes = 0;
  }

  /** Waits for the service; throws when it stops the request. */
  async #waitUntil(condition: () => boolean): Promise<void> {
    for (;;) {
      if (this.#abort.signal.aborted) throw new ConnectorError('cancelled', 'The query was cancelled.');
      if (condition()) return;
      this.#flush();
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }
}

main();
