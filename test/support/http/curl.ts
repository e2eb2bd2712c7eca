import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Transfer {
  readonly exit: number; // 0: curl takes the body for complete
  readonly status: number;
  readonly bytes: number;
}

export interface RunningTransfer {
  /** Resolves when the first bytes of the body have arrived, or none will. */
  readonly firstBytes: Promise<void>;
  readonly ended: Promise<Transfer>;
}

/** Starts curl, which discards the body. */
export function startCurl(words: readonly string[]): RunningTransfer {
  const child = spawn('/usr/bin/curl', ['--silent', '--max-time', '120', '--write-out', '%{stderr}%{http_code}', ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let bytes = 0;
  let reported = '';
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    reported += text;
  });
  const closed = once(child, 'close');
  return {
    firstBytes: Promise.race([once(child.stdout, 'data'), closed]).then(() => undefined),
    ended: closed.then(([exit]) => ({ exit, status: Number(reported), bytes })),
  };
}

/** Posts JSON and reads the response to its end. */
export const jsonBody = (key: string, body: unknown): readonly string[] => [
  ...['--header', `X-API-Key: ${key}`, '--header', 'Content-Type: application/json', '--data', JSON.stringify(body)],
];
