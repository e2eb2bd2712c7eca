import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** `{id}` and `{region}` in path and body are replaced by new values in every request. */
export interface Target {
  readonly keys?: readonly string[]; // sent as X-API-Key, in turn
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface LoadResult {
  readonly requests: number;
  readonly microseconds: number;
  readonly p50: number; // milliseconds
  readonly p99: number;
  readonly errors: number;
}

/** wrk if it is installed, because it uses far less of the processor than load-client.ts. */
export const loadGenerator = spawnSync('wrk', ['--version']).error === undefined ? 'wrk' : 'node';

/** Sends requests to the target for some seconds. */
export async function runLoad(target: Target, connections: number, seconds: number): Promise<LoadResult> {
  const args =
    loadGenerator === 'wrk'
      ? ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', join(import.meta.dirname, 'load.lua'), target.url]
      : [join(import.meta.dirname, 'load-client.ts'), target.url, String(connections), String(seconds)];
  const child = spawn(loadGenerator === 'wrk' ? 'wrk' : process.execPath, args, {
    env: {
      ...process.env,
      BENCH_METHOD: target.method,
      BENCH_PATH: target.path,
      BENCH_HEADERS: Object.entries(target.headers)
        .map(([name, value]) => `${name}: ${value}`)
        .join('|'),
      BENCH_KEYS: (target.keys ?? []).join('|'),
      ...(target.body === undefined ? {} : { BENCH_BODY: target.body }),
    },
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await new Promise((resolve) => child.once('close', resolve));
  const line = /RESULT (.*)/.exec(output)?.[1];
  if (line === undefined) throw new Error(`The load generator failed: ${output}`);
  const result: LoadResult = JSON.parse(line);
  if (result.errors > 0) throw new Error(`${result.errors} of ${result.requests} requests failed: ${target.url}${target.path}`);
  return result;
}
