import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ReadStatement, readStatement } from './trino-statement.ts';

export interface DoubleColumn {
  readonly name: string;
  readonly type: string;
  readonly typeSignature: unknown;
}

export interface DoubleFailure {
  readonly message: string;
  readonly errorName: string;
  readonly errorType: string;
  readonly errorLocation?: { readonly lineNumber: number; readonly columnNumber: number };
}

/** The result of a statement: pages of rows as JSON text, a delay without rows, a failure, or the end. */
export interface Script {
  readonly columns: readonly DoubleColumn[];
  page(index: number): string | 'wait' | DoubleFailure | undefined;
}

/** Maps the statements of a test to results. */
export type Responses = (statement: ReadStatement) => Script | DoubleFailure;

export interface TrinoDouble {
  readonly port: number;
  /** Every received request, in order. */
  readonly requests: { readonly method: string; readonly path: string; readonly headers: IncomingMessage['headers'] }[];
  /** Statements that would have written. */
  readonly written: string[];
  readonly cancelled: string[];
  running(): number;
  /** The statuses of the next responses. */
  readonly refusals: number[];
  /** Forgets every query, like a restart. */
  restart(): void;
  close(): Promise<void>;
}

interface Running {
  readonly id: string;
  readonly script: Script;
  readonly onlyColumns: boolean;
  state: 'RUNNING' | 'FINISHED' | 'FAILED';
  waits: AbortController;
}

/** Implements Trino's client protocol: queued, then running, columns before rows, rows in pages. */
export async function startTrinoDouble(respond: Responses): Promise<TrinoDouble> {
  const requests: TrinoDouble['requests'] = [];
  const written: string[] = [];
  const cancelled: string[] = [];
  const refusals: number[] = [];
  const queries = new Map<string, Running>();
  let count = 0;

  function submit(text: string): object {
    const id = `20260131_093000_${String(++count).padStart(5, '0')}_abcde`;
    const statement = readStatement(text);
    if (!('sql' in statement)) return failed(id, statement);
    if (!statement.isQuery) {
      written.push(statement.sql);
      return { id, updateType: 'DONE', stats: { state: 'FINISHED' } };
    }
    const script = respond(statement);
    if (!('columns' in script)) return failed(id, script);
    const { onlyColumns } = statement;
    queries.set(id, { id, script, onlyColumns, state: 'RUNNING', waits: new AbortController() });
    // its own name differs from the address of the client
    return { id, nextUri: `http://coordinator.internal:9999/v1/statement/queued/${id}/slug/1`, stats: { state: 'QUEUED' } };
  }

  async function page(running: Running, index: number): Promise<string> {
    const { id, script } = running;
    const more = (next: number, data: string): string =>
      `{"id":"${id}","nextUri":"http://coordinator.internal:9999/v1/statement/executing/${id}/slug/${next}",` +
      `"columns":${JSON.stringify(script.columns)}${data},"stats":{"state":"RUNNING"}}`;
    if (index === 0) return more(1, '');
    const given = running.onlyColumns ? undefined : script.page(index - 1);
    if (given === undefined) {
      running.state = 'FINISHED';
      return JSON.stringify({ id, columns: script.columns, stats: { state: 'FINISHED' } });
    }
    if (given === 'wait') {
      await sleep(1000, undefined, { signal: running.waits.signal }).catch(() => {});
      return running.state === 'FAILED' ? JSON.stringify(failed(id, userCancelled)) : more(index, '');
    }
    if (typeof given === 'string') return more(index + 1, `,"data":${given}`);
    running.state = 'FAILED';
    return JSON.stringify(failed(id, given));
  }

  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    requests.push({ method, path, headers });
    const body = await bodyOf(request);
    const refusal = refusals.shift();
    if (refusal !== undefined) return send(response, refusal, '');
    if (headers['x-trino-user'] === undefined) return send(response, 401, 'no user');
    if (method === 'POST' && path === '/v1/statement') return send(response, 200, JSON.stringify(submit(body)));
    const [, , , state, id = '', , token = '0'] = path.split('/');
    const running = queries.get(id);
    if (running === undefined || running.state === 'FAILED') return send(response, 404, 'no such query');
    if (method === 'DELETE') {
      if (running.state === 'RUNNING') cancelled.push(id);
      running.state = 'FAILED';
      running.waits.abort();
      return send(response, 204, '');
    }
    send(response, 200, await page(running, state === 'queued' ? 0 : Number(token)));
  }

  const server = createServer((request, response) => void reply(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    requests,
    written,
    cancelled,
    refusals,
    running: () => [...queries.values()].filter(({ state }) => state === 'RUNNING').length,
    restart() {
      queries.clear();
      server.closeAllConnections();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const failed = (id: string, error: DoubleFailure): object => ({ id, error, stats: { state: 'FAILED' } });
const userCancelled = { message: 'Query was canceled', errorName: 'USER_CANCELED', errorType: 'USER_ERROR' };

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(text);
}
