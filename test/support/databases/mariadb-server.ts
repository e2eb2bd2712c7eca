import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { programProblem } from '../debian-packages.ts';
import { freePort } from '../http/free-port.ts';
import { selfSigned } from '../http/self-signed.ts';

export interface MariadbServer {
  readonly host: string;
  readonly port: number;
  readonly root: { readonly user: string; readonly password: string };
  /** Its certificate, for the name localhost. */
  readonly certificate: string;
  /** The only folder where the server may write and read files. */
  readonly files: string;
  /** Runs statements as the administrator and returns the rows of the last one. */
  execute(...statements: readonly string[]): Promise<Record<string, unknown>[]>;
  /** Kills the server; `start` restarts it. */
  crash(): Promise<void>;
  start(): Promise<void>;
  /** Stops the server and removes its files. */
  remove(): Promise<void>;
}

/** A MariaDB on loopback in a temporary folder, or the reason why it did not start; in CI that is an error. */
export async function makeMariadb(): Promise<MariadbServer | string> {
  const problem = await programProblem('mariadb');
  if (problem !== null) return problem;
  try {
    const server = await createServerFolder();
    await server.start();
    return server;
  } catch (error) {
    if (process.env.CI === 'true') throw error;
    return `MariaDB did not start: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const run = promisify(execFile);

async function createServerFolder(): Promise<MariadbServer> {
  const home = await mkdtemp(join(tmpdir(), 'sluice-mariadb-'));
  const [data, files, temporary, log] = [join(home, 'data'), join(home, 'files'), join(home, 'tmp'), join(home, 'log')];
  const root = { user: 'root', password: randomBytes(12).toString('hex') };
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : [];
  await mkdir(files);
  await mkdir(temporary);
  // a server that starts removes the temporary tables of all servers with the same TMPDIR
  const env = { ...process.env, TMPDIR: temporary };
  await run(
    '/usr/bin/mariadb-install-db',
    ['--no-defaults', ...asRoot, '--auth-root-authentication-method=normal', '--skip-test-db', `--datadir=${data}`],
    { env },
  );
  await writeFile(join(home, 'init.sql'), `ALTER USER root@'127.0.0.1' IDENTIFIED BY '${root.password}';\n`);
  const [key, certificate] = [join(home, 'key.pem'), join(home, 'certificate.pem')];
  const signed = await selfSigned('localhost');
  await writeFile(key, signed.key);
  await writeFile(certificate, signed.certificate);
  const host = '127.0.0.1';
  const port = await freePort();
  let child: ChildProcess | undefined;

  async function execute(...statements: readonly string[]): Promise<Record<string, unknown>[]> {
    const connection = await createConnection({ host, port, ...root, charset: 'utf8mb4', multipleStatements: false });
    try {
      await connection.query("SET SESSION sql_mode = 'STRICT_TRANS_TABLES', time_zone = '+00:00'");
      let rows: Record<string, unknown>[] = [];
      for (const statement of statements) {
        const [result] = await connection.query<RowDataPacket[]>(statement);
        rows = Array.isArray(result) ? result : [];
      }
      return rows;
    } finally {
      await connection.end();
    }
  }

  async function start(): Promise<void> {
    const started = spawn(
      '/usr/sbin/mariadbd',
      [
        '--no-defaults',
        ...asRoot,
        `--datadir=${data}`,
        `--socket=${join(home, 'socket')}`,
        `--pid-file=${join(home, 'pid')}`,
        `--log-error=${log}`,
        `--init-file=${join(home, 'init.sql')}`,
        `--secure-file-priv=${files}`,
        `--bind-address=${host}`,
        `--port=${port}`,
        `--ssl-key=${key}`,
        `--ssl-cert=${certificate}`,
        ...options,
      ],
      { stdio: 'ignore', env },
    );
    child = started;
    process.once('exit', () => started.kill('SIGKILL')); // an aborted run leaves no server behind
    for (let tries = 0; tries < 300; tries++) {
      if (started.exitCode !== null) break;
      if (await execute('SELECT 1').catch(() => undefined)) return;
      await sleep(50);
    }
    started.kill('SIGKILL');
    throw new Error((await readFile(log, 'utf8').catch(() => '')).split('\n').slice(-5).join(' '));
  }

  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  return {
    host,
    port,
    root,
    certificate: signed.certificate,
    files,
    execute,
    crash: () => end('SIGKILL'),
    start,
    async remove() {
      await end('SIGKILL');
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Unusual defaults, so that tests detect code that relies on the usual ones. */
const options = [
  '--sql-mode=ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT,STRICT_TRANS_TABLES',
  '--default-time-zone=+05:30',
  '--character-set-server=latin1',
  '--completion-type=CHAIN',
  '--skip-name-resolve',
  '--skip-log-bin',
  '--innodb-buffer-pool-size=64M',
  '--innodb-flush-log-at-trx-commit=0',
  '--max-connections=80',
];
