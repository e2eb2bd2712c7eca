import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import type { Connector, OpenRequest } from '../connector.ts';
import { createAgent } from '../network/allowed-address.ts';
import { httpConnector } from '../network/http-connector.ts';
import type { NetworkSettings } from '../network/network-engine.ts';
import { dialect } from './dialect.ts';
import { engineError } from './engine-error.ts';
import { renderParameters } from './parameters.ts';
import { Compression, readServerFacts, Requests, type ServerFacts } from './request.ts';
import { describe, startRun } from './run.ts';
import { readSchema } from './schema.ts';

export interface ClickHouseSettings extends NetworkSettings {
  /** Whether long results are compressed; undefined: those of other machines. */
  readonly compression?: boolean | undefined;
}

const dayMs = 24 * 60 * 60 * 1000;
const factsLastMs = 5 * 60_000; // the account's profile or the server may change

/** Opens without connecting: every query is a separate request. */
export function openClickHouse(settings: ClickHouseSettings, { context, writable }: OpenRequest): Connector {
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  const client = createClient({
    url: `${settings.tls === false ? 'http' : 'https'}://${host}:${settings.port}`,
    username: settings.user,
    password: settings.password,
    database: settings.database,
    application: 'sluice',
    http_agent: createAgent(settings.tls, { keepAlive: true, timeout: dayMs }),
    request_timeout: dayMs, // RunDeadline limits the time
    log: { level: ClickHouseLogLevel.OFF },
  });
  const compression = new Compression(encodingsOf(settings.compression, settings.host));
  let known: Promise<ServerFacts> | undefined;
  let knownAt = 0;
  function facts(): Promise<ServerFacts> {
    if (known !== undefined && performance.now() - knownAt < factsLastMs) return known;
    knownAt = performance.now();
    known = readServerFacts(client, settings.connectTimeoutMs).catch((error: unknown) => {
      known = undefined;
      throw engineError('unavailable', error);
    });
    return known;
  }
  return httpConnector(
    {
      name: 'ClickHouse',
      dialect,
      render: renderParameters,
      requests: () => new Requests(client, facts, compression),
      describe,
      start: startRun,
      schema: readSchema,
      warnings: (requests) => accountWarnings(requests, writable),
      error: engineError,
      close: () => client.close(),
    },
    context.connections,
  );
}

/**
 * For Accept-Encoding; empty: results are not compressed. On the same machine compression only costs processor time. Gzip costs
 * more than a fast network saves.
 */
export function encodingsOf(compression: boolean | undefined, host: string): string {
  if (compression !== undefined) return compression ? 'zstd, gzip' : '';
  return /^(localhost|127\.[\d.]+|::1)$/i.test(host) ? '' : 'zstd';
}

/** Warnings for the user who tests the connection. */
export async function accountWarnings(requests: Requests, writable: boolean): Promise<readonly string[]> {
  await requests.rows('SELECT 1');
  const warnings: string[] = [];
  if (writable) {
    warnings.push('ClickHouse has no transactions: queries with an Epilogue cannot run, although this is marked writable.');
  }
  if (await mayWrite(requests)) {
    warnings.push('This account may write. Queries run with readonly=1, but an account with SELECT alone is safer.');
  }
  return warnings;
}

async function mayWrite(requests: Requests): Promise<boolean> {
  const [known] = await requests.rows("SELECT count() FROM system.tables WHERE database = 'system' AND name = 'grants'");
  if (known?.[0] !== '1') return false; // an old server without grants
  const [found] = await requests.rows(
    `SELECT count() FROM system.grants WHERE (user_name = currentUser() OR has(currentRoles(), role_name))
     AND toString(access_type) NOT IN ('SELECT', 'SHOW', 'SHOW DATABASES', 'SHOW TABLES', 'SHOW COLUMNS', 'SHOW DICTIONARIES', 'dictGet')`,
  );
  return found?.[0] !== '0';
}
