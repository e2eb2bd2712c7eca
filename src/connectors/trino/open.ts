import type { Connector, OpenRequest } from '../connector.ts';
import { httpConnector } from '../network/http-connector.ts';
import { dialect } from './dialect.ts';
import { engineError } from './engine-error.ts';
import { createHttpClient } from './http-client.ts';
import { quoteText, renderParameters } from './parameters.ts';
import { QueryClient, TrinoError } from './query-client.ts';
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

function headersOf({ catalog, schema, timeZone, session }: TrinoSettings): (timeoutMs: number) => Record<string, string> {
  return (timeoutMs) => {
    // the time limit of the server, for when the service has ended; the deadline of the run is shorter
    const properties = { query_max_run_time: `${Math.ceil(timeoutMs / 1000)}s`, ...session };
    return {
      'content-type': 'text/plain; charset=utf-8',
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

/** Warnings for the user who tests the connection. Few catalogs report privileges. */
async function accountWarnings(
  query: QueryClient,
  { catalog, user }: TrinoSettings,
  writable: boolean,
): Promise<readonly string[]> {
  await query.rows("EXECUTE IMMEDIATE 'SELECT ?' USING 1"); // as every query with parameters does
  const warnings: string[] = [];
  if (writable) {
    warnings.push('Trino has no transactions: queries with an Epilogue cannot run, although this is marked writable.');
  }
  if (await canWrite(query, catalog, user)) warnings.push(`The account ${user} can write in the catalog ${catalog}.`);
  return warnings;
}

async function canWrite(query: QueryClient, catalog: string, user: string): Promise<boolean> {
  const privileges = `"${catalog.replaceAll('"', '""')}".information_schema.table_privileges`;
  try {
    const rows = await query.rows(
      `SELECT 1 FROM ${privileges} WHERE grantee = ${quoteText(user)} AND privilege_type IN ('INSERT', 'UPDATE', 'DELETE', 'OWNERSHIP') LIMIT 1`,
    );
    return rows.length > 0;
  } catch (error) {
    if (error instanceof TrinoError) return false; // the catalog does not support privileges
    throw error;
  }
}
