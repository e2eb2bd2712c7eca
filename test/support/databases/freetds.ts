import { spawn } from 'node:child_process';

export interface Tsql {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The output of `tsql` for batches, without headers and footers, and its errors. */
export async function tsql(target: Tsql, batches: readonly string[]): Promise<{ lines: string[]; errors: string }> {
  const { host, port, user, password, environment } = target;
  const client = spawn(program, ['-H', host, '-p', String(port), '-U', user, '-P', password, '-J', 'UTF-8', '-o', 'qfh'], {
    env: { ...process.env, LC_ALL: 'C.UTF-8', TDSVER: '7.4', ...environment },
  });
  client.stdin.on('error', () => {}); // it may exit before it has read all input
  client.stdin.end(`${batches.map((sql) => `${sql}\ngo\n`).join('')}exit\n`);
  const [output, errors] = await Promise.all([textOf(client.stdout), textOf(client.stderr)]);
  return { lines: output.replace(/\n$/, '').split('\n'), errors };
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString();
}

const program = '/usr/bin/tsql';
