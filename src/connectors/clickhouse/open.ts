import http from 'node:http';
import https from 'node:https';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { type Connector, ConnectorError, type OpenRequest } from '../connector.ts';
import { ProvenQueries } from '../query-text.ts';
import { noTransactions } from '../refused-epilogue.ts';
import { Slots } from '../slots.ts';
import { unbound } from '../unbound.ts';
import { Watch } from '../watch.ts';
import { accountWarnings } from './account-warnings.ts';
import type { Database } from './database.ts';
import { engineError } from './engine-error.ts';
import { shortWorkMs } from './own-rows.ts';
import { renderParameters } from './parameters.ts';
import { prepare } from './prepare.ts';
import { Requests } from './request.ts';
import { run } from './run.ts';
import { readSchema } from './schema.ts';
import { readServerFacts, type ServerFacts } from './server-facts.ts';
import type { ClickHouseSettings } from './settings.ts';

const dayMs = 24 * 60 * 60 * 1000;
const factsLastMs = 5 * 60_000; // the account's profile or the server may change

/** Opens without connecting: every query is a request of its own. */
export function openClickHouse(settings: ClickHouseSettings, { surroundings, writable }: OpenRequest): Connector {
  const keepAlive = { keepAlive: true, timeout: dayMs };
  const agent = settings.tls === false ? new http.Agent(keepAlive) : new https.Agent({ ...keepAlive, ...settings.tls });
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  const client = createClient({
    url: `${settings.tls === false ? 'http' : 'https'}://${host}:${settings.port}`,
    username: settings.user,
    password: settings.password,
    database: settings.database,
    application: 'sluice',
    http_agent: agent,
    request_timeout: dayMs, // our own clock runs while someone waits, not while a reader pauses
    log: { level: ClickHouseLogLevel.OFF },
  });
  const slots = new Slots(surroundings.connections);
  let known: Promise<ServerFacts> | undefined;
  let knownAt = 0;
  const database: Database = {
    client,
    slots,
    proven: new ProvenQueries(),
    facts() {
      if (known !== undefined && performance.now() - knownAt < factsLastMs) return known;
      knownAt = performance.now();
      known = readServerFacts(client, settings.connectTimeoutMs).catch((error: unknown) => {
        known = undefined;
        throw engineError('unavailable', error);
      });
      return known;
    },
  };
  let closing: Promise<void> | undefined;

  /** For short work that leaves nothing open. */
  async function during<T>(signal: AbortSignal, work: (requests: Requests) => Promise<T>): Promise<T> {
    const watch = new Watch(signal, shortWorkMs);
    await slots.take(watch);
    const requests = new Requests(client);
    watch.onStop = () => void requests.cancel();
    try {
      return await watch.during(work(requests));
    } catch (error) {
      await requests.cancel();
      throw watch.stopped ?? engineError('invalid', error);
    } finally {
      slots.give(watch);
    }
  }

  return {
    describe: (sql, parameters, signal) =>
      during(signal, async (requests) => prepare(database, requests, renderParameters(sql, parameters.map(unbound)))),
    async checkEpilogue() {
      throw noTransactions('ClickHouse');
    },
    run: (statement, options, signal) => run(database, statement, options, signal),
    schema: (signal) => during(signal, (requests) => readSchema(database, requests)).catch(rethrow),
    ping: (signal) => during(signal, (requests) => accountWarnings(database, requests, writable)).catch(rethrow),
    close() {
      closing ??= slots.close().then(() => client.close());
      return closing;
    },
  };
}

/** What we ask about by ourselves is never at fault of an author. */
function rethrow(error: unknown): never {
  if (!(error instanceof ConnectorError) || error.kind !== 'invalid') throw error;
  throw new ConnectorError('failed', error.message, { cause: error });
}
