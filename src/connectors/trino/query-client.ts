import { describeForeignResponse } from '../error-text.ts';
import { settleWithin, shortWorkMs } from '../runs/run-deadline.ts';
import { type HttpClient, type HttpResponse, LostConnectionError } from './http-client.ts';

/** The query ended with an error. */
export class TrinoError extends Error {
  readonly failure: TrinoFailure;

  constructor(failure: TrinoFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** The server, or a proxy in front of it, refused the request. */
export class RefusedError extends Error {
  readonly status: number;

  constructor({ status, body }: HttpResponse) {
    // the text may come from another server; it is only logged
    const cause = new Error(body.toString('utf8', 0, 300));
    const isRefusal = status === 401 || status === 403;
    super(`The server responded with ${status}. ${isRefusal ? 'Check the user.' : describeForeignResponse('Trino')}`, { cause });
    this.status = status;
  }
}

const cancelMs = 2000;

/** The queries of one execution, one after the other; cancelling ends the running one and prevents others. */
export class QueryClient {
  readonly #client: HttpClient;
  readonly #headers: (timeoutMs: number) => Readonly<Record<string, string>>;
  readonly #abort = new AbortController();
  #next: string | undefined; // the URI of its next page
  #submitting: Promise<QueryPage> | undefined;
  #over = false;

  /** `headers`: of a statement with this time limit. */
  constructor(client: HttpClient, headers: (timeoutMs: number) => Readonly<Record<string, string>>) {
    this.#client = client;
    this.#headers = headers;
  }

  /** Must not be aborted: the response has the URI for cancelling the query. */
  submit(sql: string, timeoutMs: number): Promise<QueryPage> {
    if (this.#abort.signal.aborted) return Promise.reject(new Error('The query was cancelled.'));
    this.#over = false;
    this.#next = undefined;
    const headers = this.#headers(timeoutMs);
    this.#submitting = this.#page(this.#client.call({ method: 'POST', path: '/v1/statement', body: sql, headers }));
    return this.#submitting;
  }

  /** The columns and all rows of an internal statement. */
  async result(sql: string): Promise<{ columns: readonly TrinoColumn[] | undefined; rows: readonly TrinoRow[] }> {
    const rows: TrinoRow[] = [];
    let columns: readonly TrinoColumn[] | undefined;
    let page: QueryPage | undefined = await this.submit(sql, shortWorkMs);
    for (; page !== undefined; page = await this.next()) {
      columns ??= page.columns;
      for (const row of page.data ?? []) rows.push(row);
    }
    return { columns, rows };
  }

  async rows(sql: string): Promise<readonly TrinoRow[]> {
    return (await this.result(sql)).rows;
  }

  /** The page after the last one; undefined at the end. */
  async next(): Promise<QueryPage | undefined> {
    const path = this.#next;
    if (path === undefined) return undefined;
    return this.#page(this.#client.call({ method: 'GET', path, signal: this.#abort.signal }));
  }

  /** Cancels the query, if it runs. Never rejects. */
  async cancel(): Promise<void> {
    this.#abort.abort();
    const submitting = this.#submitting;
    if (submitting !== undefined) await settleWithin(cancelMs, submitting).catch(() => {});
    const path = this.#next;
    if (this.#over || path === undefined) return;
    this.#over = true;
    await settleWithin(cancelMs, this.#client.call({ method: 'DELETE', path, signal: AbortSignal.timeout(cancelMs) })).catch(
      () => {},
    );
  }

  async #page(response: Promise<HttpResponse>): Promise<QueryPage> {
    const reply = await response;
    if (reply.status !== 200) {
      this.#over = true;
      throw new RefusedError(reply);
    }
    const page = readPage(reply.body.toString('utf8'));
    this.#next = page.nextUri === undefined ? undefined : pathOf(page.nextUri);
    if (page.error !== undefined) {
      this.#over = true;
      throw new TrinoError(page.error);
    }
    if (this.#next === undefined) this.#over = true;
    return page;
  }
}

function readPage(text: string): QueryPage {
  try {
    return parsePage(text);
  } catch (error) {
    throw new LostConnectionError(describeForeignResponse('Trino'), { cause: error });
  }
}

/** URIs of the server are resolved to the host of the connection: the password must not be sent elsewhere. */
function pathOf(uri: string): string {
  const { pathname, search } = new URL(uri, 'http://localhost');
  return pathname + search;
}

/** One response for a query: its state and the next rows. */
export interface QueryPage {
  readonly id: string;
  readonly nextUri?: string;
  readonly columns?: readonly TrinoColumn[];
  readonly data?: readonly TrinoRow[] | null;
  readonly error?: TrinoFailure;
}

export interface TrinoColumn {
  readonly name: string;
  readonly type: string;
  readonly typeSignature: TypeSignature;
}

/** `array(bigint)` is `{rawType: 'array', arguments: [{kind: 'TYPE', value: {rawType: 'bigint', arguments: []}}]}`. */
export interface TypeSignature {
  readonly rawType: string;
  readonly arguments?: readonly { readonly kind: string; readonly value: unknown }[];
}

export type TrinoRow = readonly unknown[];

export interface TrinoFailure {
  readonly message: string;
  readonly errorName: string;
  readonly errorType: string;
  readonly errorLocation?: { readonly lineNumber: number; readonly columnNumber: number };
}

function parsePage(text: string): QueryPage {
  const page = parseLosslessly(text);
  if (typeof page !== 'object' || page === null || typeof page.id !== 'string')
    throw new Error('This is not a response of Trino.');
  if (page.error !== undefined && !isFailure(page.error)) throw new Error('This is not an error of Trino.');
  if (!Array.isArray(page.data ?? [])) throw new Error('These are not rows of Trino.');
  return page;
}

const isFailure = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  ['message', 'errorName', 'errorType'].every((name) => typeof Reflect.get(error, name) === 'string');

/** Whole numbers that a JavaScript number would round arrive as bigint. */
const parseLosslessly = (text: string) => (longNumber.test(text) ? JSON.parse(text, reviveLosslessly) : JSON.parse(text));

// a search in the text is much cheaper than a reviver call for every value
const longNumber = /(?<![.\d])\d{16}/;
const wholeNumber = /^-?\d+$/;

function reviveLosslessly(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? '';
  return wholeNumber.test(source) ? BigInt(source) : value;
}
