import { type HttpResponse, type HttpClient, LostConnectionError } from './http-client.ts';
import { parsePage, type QueryPage, type TrinoFailure } from './query-page.ts';

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

  constructor({ status, text }: HttpResponse) {
    super(`The server answers ${status}${text === '' ? '' : `: ${text.slice(0, 300)}`}`);
    this.status = status;
  }
}

const goodbyeMs = 2000;

/** The queries of one execution, one after the other; cancelling ends the running one and prevents others. */
export class QueryClient {
  readonly #client: HttpClient;
  readonly #abort = new AbortController();
  #next: string | undefined; // the URI of its next page
  #submitting: Promise<QueryPage> | undefined;
  #over = false;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  /** Must not be aborted: the response has the URI for cancelling the query. */
  submit(sql: string, headers: Readonly<Record<string, string>>): Promise<QueryPage> {
    if (this.#abort.signal.aborted) return Promise.reject(new Error('The query was cancelled.'));
    this.#over = false;
    this.#next = undefined;
    this.#submitting = this.#page(() => this.#client.call({ method: 'POST', path: '/v1/statement', body: sql, headers }));
    return this.#submitting;
  }

  /** The page after the last one; undefined at the end. */
  async next(): Promise<QueryPage | undefined> {
    const path = this.#next;
    if (path === undefined) return undefined;
    return this.#page(() => this.#client.call({ method: 'GET', path, signal: this.#abort.signal }));
  }

  /** Cancels the query, if it runs. Never rejects. */
  async cancel(): Promise<void> {
    this.#abort.abort();
    const submitting = this.#submitting;
    if (submitting !== undefined) await within(goodbyeMs, submitting);
    const path = this.#next;
    if (this.#over || path === undefined) return;
    this.#over = true;
    await within(goodbyeMs, this.#client.call({ method: 'DELETE', path, signal: AbortSignal.timeout(goodbyeMs) }));
  }

  async #page(call: () => Promise<HttpResponse>): Promise<QueryPage> {
    const reply = await call();
    if (reply.status !== 200) {
      this.#over = true;
      throw new RefusedError(reply);
    }
    const page = readPage(reply.text);
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
    throw new LostConnectionError('The server answers with something that is no page of a query.', { cause: error });
  }
}

/** URIs of the server are resolved to the host of the connection: the password must not be sent elsewhere. */
function pathOf(uri: string): string {
  const { pathname, search } = new URL(uri, 'http://localhost');
  return pathname + search;
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([
    work.then(
      () => {},
      () => {},
    ),
    promise,
  ]);
  clearTimeout(timer);
}
