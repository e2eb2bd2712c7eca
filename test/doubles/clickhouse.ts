import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { constants, createGzip, createZstdCompress } from 'node:zlib';

export interface ClickHouseRequest {
  /** The author's statement. */
  readonly sql: string;
  /** The whole text, which error positions refer to. */
  readonly text: string;
  readonly values: Readonly<Record<string, string | null>>;
}

/** The result of a query: pages of rows as JSON text, a delay, a failure, or the end. */
export interface ClickHouseScript {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  page(index: number): readonly string[] | 'wait' | ClickHouseFailure | undefined;
}

export interface ClickHouseFailure {
  readonly code: number;
  readonly message: string;
  readonly type: string;
  /** A failure in mid-result: in its end, as an error text, as one after the compressed part, or by closing the connection. */
  readonly way?: 'trailer' | 'text' | 'appended' | 'cut';
}

export type ClickHouseResponses = (request: ClickHouseRequest) => ClickHouseScript | ClickHouseFailure;

export interface ClickHouseDouble {
  readonly port: number;
  readonly requests: { readonly sql: string; readonly search: URLSearchParams; readonly headers: IncomingMessage['headers'] }[];
  readonly written: string[];
  readonly killed: string[];
  running(): number;
  close(): Promise<void>;
}

/** Implements the part of ClickHouse's HTTP interface that the connector uses. */
export async function startClickHouseDouble(respond: ClickHouseResponses): Promise<ClickHouseDouble> {
  const requests: ClickHouseDouble['requests'] = [];
  const written: string[] = [];
  const killed: string[] = [];
  const running = new Map<string, AbortController>();

  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const search = new URL(request.url ?? '/', 'http://localhost').searchParams;
    const { sql: body, values } = formOf(await bodyOf(request), request.headers['content-type'], search);
    requests.push({ sql: body, search, headers: request.headers });
    const [, id] = /^KILL QUERY WHERE query_id = '([\w-]+)' ASYNC/.exec(body) ?? [];
    if (id !== undefined) {
      if (running.has(id)) killed.push(id);
      running.get(id)?.abort();
      response.end();
      return;
    }
    const formatted = /^([\s\S]*)\nFORMAT JSONCompact$/.exec(body)?.[1] ?? body.replace(/ FORMAT JSONCompact$/, '');
    const described = /^DESCRIBE TABLE \(\n([\s\S]*)\n\)$/.exec(formatted)?.[1];
    const sql = (described ?? formatted).trim();
    const wrong = problemOf(sql, body, described !== undefined);
    if (wrong !== undefined) return refuse(response, wrong);
    if (!isSelect(sql)) {
      if (search.get('readonly') === '1')
        return refuse(response, { code: 164, message: 'Cannot execute query in readonly mode', type: 'READONLY' });
      written.push(sql);
      response.end();
      return;
    }
    const script = respond({ sql, text: body, values });
    if ('code' in script) return refuse(response, script);
    const shown = described === undefined ? script : describe(script);
    const stop = new AbortController();
    const queryId = search.get('query_id') ?? '';
    running.set(queryId, stop);
    response.on('close', () => stop.abort());
    const codec = search.get('enable_http_compression') === '1' ? codecOf(request.headers['accept-encoding']) : undefined;
    await write(response, shown, stop.signal, codec).finally(() => running.delete(queryId));
  }

  const server = createServer((request, response) => {
    reply(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    requests,
    written,
    killed,
    running: () => running.size,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Codec = 'zstd' | 'gzip';

/** The codec that a newer server prefers. */
const codecOf = (accepted: string | string[] | undefined): Codec | undefined =>
  (['zstd', 'gzip'] as const).find((codec) => String(accepted).includes(codec));

/** Flushes what it has after every write, so that rows are in the result before it breaks off. */
function bodyFor(response: ServerResponse, codec: Codec | undefined): Writable {
  if (codec === undefined) return response;
  response.setHeader('content-encoding', codec);
  const compressed =
    codec === 'gzip' ? createGzip({ flush: constants.Z_SYNC_FLUSH }) : createZstdCompress({ flush: constants.ZSTD_e_flush });
  compressed.pipe(response, { end: false });
  response.on('close', () => compressed.destroy());
  return compressed;
}

async function write(
  response: ServerResponse,
  { columns, page }: ClickHouseScript,
  signal: AbortSignal,
  codec: Codec | undefined,
): Promise<void> {
  const out = bodyFor(response, codec);
  const meta = columns.map(({ name, type }) => JSON.stringify({ name, type })).join();
  let pending = `{\n\t"meta":\n\t[${meta}],\n\n\t"data":\n\t[\n`;
  let rows = 0;
  for (let index = 0; !signal.aborted; index++) {
    const given = page(index);
    if (given === 'wait') {
      await sleep(60_000, undefined, { signal }).catch(() => {});
      break;
    }
    if (given === undefined) {
      end(out, response, `${pending}\n\t],\n\n\t"rows": ${rows},\n\n\t"statistics":\n\t{\n\t\t"elapsed": 0.1\n\t}\n}\n`);
      return;
    }
    if ('code' in given) return breakOff(out, response, pending, given, rows);
    // rows follow each other without a gap in the list
    pending += given.map((row, at) => `${rows + at > 0 ? ',\n' : ''}\t\t${row}`).join('');
    rows += given.length;
    if (!out.write(pending)) await waitForDrain(out, signal);
    pending = '';
  }
  if (signal.aborted && !response.destroyed)
    breakOff(out, response, pending, { code: 394, message: 'Query was cancelled', type: 'QUERY_WAS_CANCELLED' }, rows);
}

function end(out: Writable, response: ServerResponse, text: string, appended = ''): void {
  if (out === response) {
    response.end(text + appended);
    return;
  }
  out.on('end', () => response.end(appended)).end(text);
}

function breakOff(out: Writable, response: ServerResponse, pending: string, failure: ClickHouseFailure, rows: number): void {
  if (!response.headersSent && rows === 0) {
    response.removeHeader('content-encoding');
    refuse(response, failure);
    return;
  }
  const text = textOf(failure);
  if (failure.way === 'cut') out.write(pending, () => response.destroy());
  else if (failure.way === 'trailer')
    end(out, response, `${pending}\n\t],\n\n\t"rows": ${rows},\n\n\t"exception": ${JSON.stringify(text)}\n}\n`);
  else if (failure.way === 'appended') end(out, response, pending, text);
  else end(out, response, `${pending}\n\t\t[12${text}`); // in the middle of a row
}

function refuse(response: ServerResponse, failure: ClickHouseFailure): void {
  response.writeHead(500, { 'X-ClickHouse-Exception-Code': String(failure.code) }).end(textOf(failure));
}

const textOf = ({ code, message, type }: ClickHouseFailure): string =>
  `Code: ${code}. DB::Exception: ${message}. (${type}) (version 25.8.1.1 (official build))`;

const describe = ({ columns }: ClickHouseScript): ClickHouseScript => ({
  columns: ['name', 'type'].map((name) => ({ name, type: 'String' })),
  page: (index) => (index === 0 ? columns.map(({ name, type }) => JSON.stringify([name, type])) : undefined),
});

/** The grammar rules that matter here. */
function problemOf(sql: string, text: string, described: boolean): ClickHouseFailure | undefined {
  const code = removeQuoted(sql);
  const at = /;|\bINTO\s+OUTFILE\b|\bFORMAT\b|WHERRE\s+id\s+/i.exec(code);
  if (at !== null) {
    const place = text.indexOf(sql) + at.index + (at[0].startsWith('WHERRE') ? 7 : 0);
    const lines = text.slice(0, place).split('\n');
    const where = `(line ${lines.length}, col ${(lines.at(-1) ?? '').length + 1})`;
    return { code: 62, message: `Syntax error: failed at position ${place + 1} (${at[0]}) ${where}: …`, type: 'SYNTAX_ERROR' };
  }
  if (described && !isSelect(sql))
    return { code: 62, message: 'Syntax error: failed at position 17 (line 2, col 1): …', type: 'SYNTAX_ERROR' };
  return undefined;
}

const isSelect = (sql: string): boolean => /^[\s(]*(SELECT|WITH)\b/i.test(removeQuoted(sql));

const removeQuoted = (sql: string): string =>
  sql.replace(/'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*"|--[^\n]*|\/\*[\s\S]*?\*\//g, (quoted) => ' '.repeat(quoted.length));

interface Form {
  readonly sql: string;
  readonly values: Readonly<Record<string, string | null>>;
}

function formOf(body: string, contentType: string | undefined, search: URLSearchParams): Form {
  const [, boundary] = /boundary=(.+)$/.exec(contentType ?? '') ?? [];
  const parts = new Map<string, string>(search);
  let sql = body;
  for (const part of boundary === undefined ? [] : body.split(`--${boundary}`)) {
    const [, name, text = ''] = /name="(\w+)"\r\n\r\n([\s\S]*)\r\n$/.exec(part) ?? [];
    if (name === 'query') sql = text;
    else if (name !== undefined) parts.set(name, text);
  }
  const values: Record<string, string | null> = {};
  for (const [name, text] of parts) if (name.startsWith('param_')) values[name.slice(6)] = unescape(text);
  return { sql, values };
}

function unescape(text: string): string | null {
  if (text === '\\N') return null;
  if (/[\t\n]/.test(text)) throw new Error('A value ends at a tab or a line break.');
  const letters: Record<string, string> = { t: '\t', n: '\n', r: '\r', '\\': '\\', "'": "'" };
  return text.replace(/\\(.)/gs, (_, letter: string) => letters[letter] ?? letter);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

async function waitForDrain(response: Writable, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  response.once('drain', resolve);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
}
