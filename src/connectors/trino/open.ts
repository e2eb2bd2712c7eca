import { type Connector, ConnectorError, type OpenRequest } from '../connector.ts';
import { ProvenQueries } from '../query-text.ts';
import { noTransactions } from '../refused-epilogue.ts';
import { Slots } from '../slots.ts';
import { unbound } from '../unbound.ts';
import { Watch } from '../watch.ts';
import { accountWarnings } from './account-warnings.ts';
import type { Database } from './database.ts';
import { engineError } from './engine-error.ts';
import { createHttpClient } from './http-client.ts';
import { shortWorkMs } from './own-rows.ts';
import { renderParameters } from './parameters.ts';
import { prepare } from './prepare.ts';
import { QueryClient } from './query-client.ts';
import { run } from './run.ts';
import { readSchema } from './schema.ts';
import type { TrinoSettings } from './settings.ts';

/** Opens without connecting: every query is a few requests of its own. */
export function openTrino(settings: TrinoSettings, { surroundings, writable }: OpenRequest): Connector {
  const client = createHttpClient(settings);
  const slots = new Slots(surroundings.connections);
  const database: Database = { client, slots, proven: new ProvenQueries(), headers: headersOf(settings) };
  let closing: Promise<void> | undefined;

  /** For short work that leaves nothing open. */
  async function during<T>(signal: AbortSignal, work: (query: QueryClient) => Promise<T>): Promise<T> {
    const watch = new Watch(signal, shortWorkMs);
    await slots.take(watch);
    const query = new QueryClient(client);
    watch.onStop = () => void query.cancel();
    try {
      return await watch.during(work(query));
    } catch (error) {
      await query.cancel();
      throw watch.stopped ?? engineError('invalid', error);
    } finally {
      slots.give(watch);
    }
  }

  return {
    describe: (sql, parameters, signal) =>
      during(signal, async (query) => prepare(database, query, renderParameters(sql, parameters.map(unbound)))),
    async checkEpilogue() {
      throw noTransactions('Trino');
    },
    run: (statement, options, signal) => run(database, statement, options, signal),
    schema: (signal) => during(signal, (query) => readSchema(database, query, settings)).catch(rethrow),
    ping: (signal) => during(signal, (query) => accountWarnings(database, query, settings, writable)).catch(rethrow),
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

function headersOf({ user, catalog, schema, timeZone, session }: TrinoSettings): Database['headers'] {
  return (timeoutMs) => {
    // the server's own bound; ours comes first, this one is for when we are gone
    const properties = { query_max_run_time: `${Math.ceil(timeoutMs / 1000)}s`, ...session };
    return {
      'content-type': 'text/plain; charset=utf-8',
      'x-trino-user': user,
      'x-trino-source': 'sluice',
      'x-trino-catalog': catalog,
      ...(schema === undefined ? {} : { 'x-trino-schema': schema }),
      'x-trino-time-zone': timeZone,
      // without it times are cut to milliseconds
      'x-trino-client-capabilities': 'PARAMETRIC_DATETIME',
      'x-trino-session': Object.entries(properties)
        .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
        .join(','),
    };
  };
}
