import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { ClickHouseClient } from '@clickhouse/client';
import { LRUCache } from 'lru-cache';
import { errorCode } from '../../core/error-code.ts';
import { shortWorkMs } from '../runs/run-deadline.ts';
import { readRows } from './result-reader.ts';

const cancelMs = 2000;
const longUrl = 8000;

interface RunningQuery {
  readonly id: string;
  stream: Readable | undefined;
}

type Values = Readonly<Record<string, string | null>>;
type Texts = Readonly<Record<string, string>>;

const shortBytes = 1024 * 1024;
const mostTexts = 500;

/** Which results are compressed: all but those of queries whose last result was short, where it costs more than it saves. */
export class Compression {
  readonly #encodings: string;
  readonly #short = new LRUCache<string, true>({ max: mostTexts });

  constructor(encodings: string) {
    this.#encodings = encodings;
  }

  /** The encodings that the result of a query may have; empty: none. */
  encodingsFor(sql: string): string {
    return this.#short.get(sql) === true ? '' : this.#encodings;
  }

  /** The whole result of a query had this many bytes. */
  note(sql: string, bytes: number): void {
    if (this.#encodings === '') return;
    if (bytes >= shortBytes) this.#short.delete(sql);
    else this.#short.set(sql, true);
  }
}

/** The queries of one execution, one after the other; cancelling ends the running one and prevents others. */
export class Requests {
  /** Queried on first use. */
  readonly facts: () => Promise<ServerFacts>;
  readonly compression: Compression;
  readonly #client: ClickHouseClient;
  readonly #abort = new AbortController();
  #running: RunningQuery | undefined;

  constructor(client: ClickHouseClient, facts: () => Promise<ServerFacts>, compression: Compression) {
    this.#client = client;
    this.facts = facts;
    this.compression = compression;
  }

  /** All rows of an internal statement, as text. */
  async rows(sql: string, values: Values = {}): Promise<readonly (readonly string[])[]> {
    const rows = await readRows(await this.send(`${sql}\nFORMAT JSONCompact`, shortWorkMs, values));
    this.markEnded();
    return rows;
  }

  /** The server may close an idle connection just when it is used again: the query, which only reads, is then sent again. */
  async send(query: string, timeoutMs: number, values: Values, encodings = ''): Promise<Readable> {
    const facts = await this.facts();
    const isCompressed = encodings !== '' && facts.maySetCompression;
    const settings = { ...facts.settingsFor(timeoutMs), ...(isCompressed ? { enable_http_compression: '1' } : {}) };
    const headers = isCompressed ? { 'Accept-Encoding': encodings } : {};
    try {
      return await this.#sendOnce(query, settings, headers, values);
    } catch (error) {
      if (!wasClosed(error) || this.#abort.signal.aborted) throw error;
      return this.#sendOnce(query, settings, headers, values);
    }
  }

  async #sendOnce(query: string, settings: Texts, headers: Texts, values: Values): Promise<Readable> {
    const running: RunningQuery = { id: randomUUID(), stream: undefined };
    this.#running = running;
    const form = lengthOf(values) > longUrl ? formOf(query, values) : undefined;
    const { stream } = await this.#client.exec({
      ...(form === undefined ? { query, query_params: { ...values } } : { query: form.body }),
      http_headers: { ...headers, ...(form === undefined ? {} : { 'Content-Type': form.type }) },
      decompress_response_stream: true,
      query_id: running.id,
      clickhouse_settings: { ...settings },
      abort_signal: this.#abort.signal,
    });
    running.stream = stream;
    stream.on('error', () => {}); // the reader gets the error
    if (this.#abort.signal.aborted) stream.destroy();
    return stream;
  }

  /** The result has been read to its end. */
  markEnded(): void {
    this.#running = undefined;
  }

  /** Ends the running query, if any. Never rejects. */
  async cancel(): Promise<void> {
    this.#abort.abort();
    const running = this.#running;
    this.#running = undefined;
    if (running === undefined) return;
    running.stream?.destroy();
    try {
      // the server notices the closed connection only when it writes
      const query = `KILL QUERY WHERE query_id = '${running.id}' ASYNC`;
      await this.#client.command({ query, abort_signal: AbortSignal.timeout(cancelMs) });
    } catch {} // a read-only account may not kill queries
  }
}

const wasClosed = (error: unknown): boolean => errorCode(error) === 'ECONNRESET';

const lengthOf = (values: Values): number => Object.values(values).reduce((sum, value) => sum + (value?.length ?? 0), 0);

/** Values that are too long for a URL go into the body. */
function formOf(query: string, values: Values): { body: string; type: string } {
  const boundary = `sluice-${randomUUID()}`;
  const parts = Object.entries(values).map(([name, value]): [string, string] => [`param_${name}`, escapeValue(value)]);
  const body = [['query', query] as const, ...parts]
    .map(([name, text]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`)
    .join('');
  return { body: `${body}--${boundary}--\r\n`, type: `multipart/form-data; boundary=${boundary}` };
}

/** The server reads values in its TSV encoding. */
function escapeValue(value: string | null): string {
  if (value === null) return '\\N';
  return value.replace(/[\\\t\n\r']/g, (char) => escapes[char] ?? char);
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', "'": "\\'" };

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
