import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Connector } from '../../../src/connectors/connector.ts';
import { postgres } from '../../../src/connectors/postgres/index.ts';
import { type PostgresServer, startPostgres } from '../../support/databases/postgres-server.ts';
import { postgresProblem } from '../../support/databases/postgres.ts';
import { selfSigned } from '../../support/http/self-signed.ts';
import { drain, jsonRows, createSignal, rejection } from '../connector-steps.ts';
import { request } from './fixture.ts';

describe.skipIf(postgresProblem() !== null)('a separate PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  const open = (changes: Record<string, unknown> = {}): Promise<Connector> => {
    const { connection, ...rest } = request(new URL(server.url));
    return postgres.open({ ...rest, connection: { ...connection, ...changes } });
  };
  const run = (on: Connector, sql: string, signal = createSignal()) =>
    on.run({ sql, parameters: [] }, { timeoutMs: 60_000 }, signal);
  const administer = async (...statements: string[]): Promise<void> => {
    const client = new Client({ connectionString: server.url });
    client.on('error', () => {});
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end().catch(() => {});
  };

  const running = async (): Promise<number> => {
    const client = new Client({ connectionString: server.url });
    client.on('error', () => {});
    await client.connect();
    const { rows } = await client.query(`
      SELECT count(*)::int FROM pg_stat_activity
      WHERE application_name = 'sluice' AND state = 'active' AND query ~ '^SELECT (pg_sleep|generate_series)'`);
    await client.end();
    return rows[0]?.count;
  };

  test('uses TLS and verifies the certificate', async () => {
    const { certificate, key } = await selfSigned();
    const write = (file: string, text: string) =>
      `COPY (SELECT unnest(string_to_array('${text.trim()}', E'\\n'))) TO PROGRAM 'umask 077; cat > ${file}'`;
    await administer(
      write('server.crt', certificate),
      write('server.key', key),
      'ALTER SYSTEM SET ssl = on',
      'SELECT pg_reload_conf()',
    );
    const trusting = await open({ tls: { ca: certificate } });
    const encrypted = () =>
      run(trusting, 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()').then(jsonRows, () => 'not yet');
    await expect.poll(encrypted).toEqual([['true']]);
    const abort = new AbortController();
    const cancelled = rejection(run(trusting, 'SELECT pg_sleep(60)::text', abort.signal));
    await expect.poll(running).toBe(1);
    abort.abort();
    expect((await cancelled).kind).toBe('cancelled');
    await expect.poll(running).toBe(0); // by a cancel request, which is also encrypted
    await trusting.close();

    for (const [tls, kind] of [
      [true, 'unavailable'],
      [{ ca: certificate, servername: 'elsewhere.test' }, 'unavailable'],
      [{ ca: certificate, servername: 'db.test' }, undefined],
      [{ rejectUnauthorized: false }, undefined],
      [false, undefined],
    ] as const) {
      const own = await open({ tls });
      const outcome = await drain(run(own, 'SELECT 1')).catch((error: { kind: string }) => error.kind);
      expect([tls, outcome]).toEqual([tls, kind]);
      await own.close();
    }
  });

  test('fails the queries in flight when it crashes, and recovers by itself', async () => {
    const own = await open();
    for (let round = 0; round < 5; round++) {
      const flying = rejection(drain(run(own, 'SELECT pg_sleep(60)::text')));
      const flowing = rejection(drain(run(own, 'SELECT generate_series(1, 1000000000)')));
      await expect.poll(running).toBe(2);
      await sleep(100); // a statement that is being prepared counts as running
      // a killed backend terminates all the others
      await administer(`
        DO $$ BEGIN EXECUTE format('COPY (SELECT 1) TO PROGRAM %L',
          'kill -9 ' || (SELECT min(pid) FROM pg_stat_activity WHERE application_name = 'sluice')); END $$`).catch(() => {});
      expect((await flying).kind).toBe('failed');
      expect((await flowing).kind).toBe('failed');
      await expect
        .poll(() =>
          drain(run(own, 'SELECT 1')).then(
            () => 'well',
            (error: { kind: string }) => error.kind,
          ),
        )
        .toBe('well');
    }
    await own.close();
  });

  test('is reported as unavailable after it is stopped', async () => {
    const own = await open();
    await drain(run(own, 'SELECT 1'));
    const flying = rejection(drain(run(own, 'SELECT pg_sleep(60)::text')));
    await expect.poll(running).toBe(1);
    await server.stop();
    expect((await flying).kind).toBe('failed');
    expect((await rejection(run(own, 'SELECT 1'))).kind).toBe('unavailable');
    await own.close();
  });
});
