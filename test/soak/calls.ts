import type { SoakService } from './service.ts';

/** Stands for the status of a call that the client aborted. */
export const LEFT = 0;

const regions = ['north', 'south', 'east', 'west', 'center', 'coast', 'hills', 'isles'];
const formats = ['csv', 'json', 'ndjson', 'xlsx', 'parquet'];
const reads = ['queries', 'databases', 'executions', 'audit?limit=50', 'embeds', 'account', 'users', 'settings', 'mcp/tools'];

export const id = (turn: number) => [{ ParameterName: '@Id', Value: String(1 + ((turn * 7919) % 20_000)) }];
export const region = (turn: number) => [{ ParameterName: '@Region', Value: regions[turn % regions.length] }];
export const rows = (count: number) => [{ ParameterName: '@Rows', Value: String(count) }];

const keyOf = ({ keys }: SoakService, turn: number): string => keys[turn % keys.length] ?? '';

type Headers = Readonly<Record<string, string>>;

const send = (on: SoakService, method: string, path: string, headers: Headers, body?: unknown, signal?: AbortSignal) =>
  fetch(on.url + path, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: signal ?? AbortSignal.timeout(60_000),
  });

/** Reads a response to its end and discards it. */
async function drain(response: Response): Promise<number> {
  for await (const _ of response.body ?? []);
  return response.status;
}

const execute = (
  on: SoakService,
  turn: number,
  QueryName: string,
  Parameters: unknown,
  headers: Headers = {},
  signal?: AbortSignal,
) =>
  send(
    on,
    'POST',
    '/api/v1/JsonBuilder/ExecuteQuery',
    { 'X-API-Key': keyOf(on, turn), ...headers },
    { QueryName, Parameters },
    signal,
  );

export const run = async (on: SoakService, turn: number, query: string, parameters: unknown = []): Promise<number> =>
  drain(await execute(on, turn, query, parameters));

export async function walk(on: SoakService, turn: number, query: string, parameters: unknown = []): Promise<number> {
  let headers: Headers = { RowSize: '1000' };
  for (;;) {
    const response = await execute(on, turn, query, parameters, headers);
    if (response.status !== 200) return drain(response);
    const { QueryMoreCode, NextRowIndex } = await bodyOf<{ QueryMoreCode: string | null; NextRowIndex: number }>(response);
    if (QueryMoreCode === null) return response.status;
    headers = { RowSize: '1000', QueryMoreCode, RowIndex: String(NextRowIndex) };
  }
}

async function bodyOf<T>(response: Response): Promise<T> {
  return JSON.parse(await response.text());
}

export const chartData = async (on: SoakService, turn: number): Promise<number> =>
  drain(
    await send(
      on,
      'POST',
      '/api/v1/ChartBuilder/ExecuteQuery',
      { 'X-API-Key': keyOf(on, turn) },
      { QueryName: 'QD_by_region_Sales', Parameters: [] },
    ),
  );

const startExport = (on: SoakService, turn: number, route: string, format: string, signal?: AbortSignal) => {
  const count = 10_000 + (turn % 5) * 10_000;
  const query = turn % 3 === 0 ? 'QD_many_Demo' : 'QD_rows_Sales';
  const body = { QueryName: query, Parameters: rows(count) };
  return send(on, 'POST', `/api/v1/Export/${route}?format=${format}`, { 'X-API-Key': keyOf(on, turn) }, body, signal);
};

export const exportFile = async (on: SoakService, turn: number): Promise<number> =>
  drain(await startExport(on, turn, 'ExecuteQuery', formats[turn % formats.length] ?? ''));

export async function followLink(on: SoakService, turn: number): Promise<number> {
  const response = await startExport(on, turn, 'CreateLink', formats[turn % formats.length] ?? '');
  if (response.status !== 200) return drain(response);
  const { downloadUrl } = await bodyOf<{ downloadUrl: string }>(response);
  return drain(await fetch(downloadUrl));
}

export const look = async (on: SoakService, turn: number, route: string, more: string): Promise<number> =>
  drain(await send(on, 'GET', `/api/v1/EmbeddedChart/${route}?token=${on.embeds[turn % on.embeds.length]}${more}`, {}));

export async function tool(
  on: SoakService,
  turn: number,
  name: string,
  words: Readonly<Record<string, unknown>>,
): Promise<number> {
  const body = { jsonrpc: '2.0', id: turn, method: 'tools/call', params: { name, arguments: words } };
  const response = await send(on, 'POST', '/mcp', { 'X-API-Key': keyOf(on, turn) }, body);
  const { error } = await bodyOf<{ error?: { data?: { httpStatus?: number } } }>(response);
  return error === undefined ? response.status : (error.data?.httpStatus ?? -1);
}

export const managementRead = async (on: SoakService, turn: number): Promise<number> =>
  drain(await send(on, 'GET', `/api/v1/${reads[turn % reads.length]}`, on.admin));

export const sendBadKey = async (on: SoakService, turn: number): Promise<number> =>
  drain(await send(on, 'GET', '/api/v1/account', { 'X-API-Key': `slc_${String(turn).padStart(43, '0')}` }));

export async function disconnect(on: SoakService, turn: number): Promise<number> {
  const leaving = new AbortController();
  setTimeout(() => leaving.abort(), 200);
  try {
    return await drain(await execute(on, turn, 'QD_long_Sales', [], {}, leaving.signal));
  } catch (error) {
    if (leaving.signal.aborted) return LEFT;
    throw error;
  }
}

export async function disconnectExport(on: SoakService, turn: number): Promise<number> {
  const leaving = new AbortController();
  const response = await startExport(on, turn, 'ExecuteQuery', 'ndjson', leaving.signal);
  if (response.status !== 200) return drain(response);
  await response.body?.getReader().read();
  leaving.abort();
  return LEFT;
}

export async function createAndRevokeKey(on: SoakService): Promise<number> {
  const made = await send(on, 'POST', '/api/v1/account/api-keys', on.admin, { name: 'for a moment' });
  if (made.status === 409) return drain(made).then(() => 204); // five keys are being revoked at the moment
  if (made.status !== 201) return drain(made);
  const { id } = await bodyOf<{ id: string }>(made);
  return drain(await send(on, 'DELETE', `/api/v1/account/api-keys/${id}`, on.admin));
}

export async function createAndRevokeEmbed(on: SoakService): Promise<number> {
  const words = new URLSearchParams({ queryName: 'QD_items_Demo', chartType: 'pie', labelColumn: 'label', dataColumn: 'value' });
  const made = await send(on, 'POST', `/api/v1/EmbeddedChart/GetEmbedUrl?${words}`, on.admin);
  if (made.status !== 200) return drain(made);
  const { Id } = await bodyOf<{ Id: string }>(made);
  return drain(await send(on, 'DELETE', `/api/v1/embeds/${Id}`, on.admin));
}

export async function signInAndOut(on: SoakService): Promise<number> {
  const [username = '', password = ''] = Buffer.from(on.admin.Authorization?.slice(6) ?? '', 'base64')
    .toString()
    .split(':');
  const signedIn = await send(on, 'POST', '/api/v1/session', {}, { username, password });
  const status = await drain(signedIn);
  if (status >= 300) return status;
  const Cookie = signedIn.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  return drain(await send(on, 'DELETE', '/api/v1/session', { Cookie, Origin: on.url }));
}
