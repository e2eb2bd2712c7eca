import type { Connector, OpenRequest } from '../connector.ts';
import { httpConnector } from '../network/http-connector.ts';
import { accountWarnings } from './account-warnings.ts';
import { dialect } from './dialect.ts';
import { engineError } from './engine-error.ts';
import { createHttpClient } from './http-client.ts';
import { renderParameters } from './parameters.ts';
import { QueryClient } from './query-client.ts';
import { describe, startRun } from './run.ts';
import { readSchema } from './schema.ts';
import type { TrinoSettings } from './settings.ts';

/** Opens without connecting: every query is a few separate requests. */
export function openTrino(settings: TrinoSettings, { context, writable }: OpenRequest): Connector {
  const client = createHttpClient(settings);
  const headers = headersOf(settings);
  return httpConnector(
    {
      name: 'Trino',
      dialect,
      render: renderParameters,
      requests: () => new QueryClient(client, headers),
      describe,
      start: startRun,
      schema: (query) => readSchema(query, settings),
      warnings: (query) => accountWarnings(query, settings, writable),
      error: engineError,
      close: client.close,
    },
    context.connections,
  );
}

function headersOf({ user, catalog, schema, timeZone, session }: TrinoSettings): (timeoutMs: number) => Record<string, string> {
  return (timeoutMs) => {
    // the time limit of the server, for when the service has ended; the deadline of the run is shorter
    const properties = { query_max_run_time: `${Math.ceil(timeoutMs / 1000)}s`, ...session };
    return {
      'content-type': 'text/plain; charset=utf-8',
      'x-trino-user': user,
      'x-trino-source': 'sluice',
      'x-trino-catalog': catalog,
      ...(schema === undefined ? {} : { 'x-trino-schema': schema }),
      'x-trino-time-zone': timeZone,
      // otherwise times are truncated to milliseconds
      'x-trino-client-capabilities': 'PARAMETRIC_DATETIME',
      'x-trino-session': Object.entries(properties)
        .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
        .join(','),
    };
  };
}
