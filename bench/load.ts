import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** `{id}` and `{region}` in path and body are filled in anew for every request. */
export interface Target {
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

/** Name of what makes the load: wrk where it is installed, which costs far less of the processor than a client of ours. */
export const loadMaker = spawnSync('wrk', ['--version']).error === undefined ? 'wrk' : 'node';

export async function load(target: Target, connections: number, seconds: number): Promise<LoadResult> {
  const words =
    loadMaker === 'wrk'
      ? ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', join(import.meta.dirname, 'load.lua'), target.url]
      : [join(import.meta.dirname, 'load-client.ts'), target.url, String(connections), String(seconds)];
  const child = spawn(loadMaker === 'wrk' ? 'wrk' : process.execPath, words, {
    env: {
      ...process.env,
      BENCH_METHOD: target.method,
      BENCH_PATH: target.path,
      BENCH_HEADERS: Object.entries(target.headers)
        .map(([name, value]) => `${name}: ${value}`)
        .join('|'),
      ...(target.body === undefined ? {} : { BENCH_BODY: target.body }),
    },
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await new Promise((resolve) => child.once('close', resolve));
  const result = /RESULT (.*)/.exec(said)?.[1];
  if (result === undefined) throw new Error(`The load did not run: ${said}`);
  const read: LoadResult = JSON.parse(result);
  if (read.errors > 0) throw new Error(`${read.errors} of ${read.requests} requests failed: ${target.url}${target.path}`);
  return read;
}
