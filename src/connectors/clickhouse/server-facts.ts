import type { ClickHouseClient } from '@clickhouse/client';
import { readRows } from './result-reader.ts';

/** Properties of the server and the account: unknown settings are errors, and so are settings that the account may not change. */
export interface ServerFacts {
  readonly timeZone: string;
  /** Whether the account may ask for compressed results. */
  readonly maySetCompression: boolean;
  /** The settings of a query with this time limit. */
  settingsFor(timeoutMs: number): Readonly<Record<string, string>>;
}

/** The output format of results. */
const outputSettings: Readonly<Record<string, string>> = {
  cancel_http_readonly_queries_on_client_close: '1',
  date_time_output_format: 'iso',
  output_format_json_quote_64bit_integers: '0',
  output_format_json_quote_denormals: '0',
  output_format_json_escape_forward_slashes: '0',
  output_format_json_named_tuples_as_objects: '1',
  http_send_timeout: '900',
};

export async function readServerFacts(client: ClickHouseClient, timeoutMs: number): Promise<ServerFacts> {
  const names = [...Object.keys(outputSettings), 'readonly', 'enable_http_compression'].map((name) => `'${name}'`).join();
  const query = `SELECT timezone(), name, value FROM system.settings WHERE name IN (${names}) FORMAT JSONCompact`;
  const { stream } = await client.exec({ query, abort_signal: AbortSignal.timeout(timeoutMs) });
  const rows = await readRows(stream);
  const known = new Map(rows.map(([, name = '', value = '']) => [name, value]));
  const readonly = known.get('readonly') ?? '0'; // 1: may only read; 2: may only read, and change settings
  const usable = Object.entries(outputSettings).filter(([name]) => known.has(name));
  return {
    timeZone: rows[0]?.[0] ?? 'UTC',
    maySetCompression: known.has('enable_http_compression') && readonly !== '1',
    settingsFor(forMs) {
      if (readonly === '1') return {}; // no settings can be changed, and nothing can be written
      return {
        ...Object.fromEntries(usable),
        max_execution_time: String(Math.ceil(forMs / 1000)),
        ...(readonly === '0' ? { readonly: '1' } : {}),
      };
    },
  };
}
