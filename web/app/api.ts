import type { Operations } from './api-types.ts';
import { withBasePath } from './base-path.ts';
import { isAbort, type Problem, problemOfResponse, unreachableProblem } from './problem.ts';

export type Operation = keyof Operations;
export type ResponseOf<O extends Operation> = Operations[O]['response'];
export type QueryOf<O extends Operation> = Operations[O] extends { query: infer Q } ? Q : never;

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** The expected version: the service returns 412 if it has changed. */
  readonly ifMatch?: number | undefined;
  /** Parses the response; default: JSON.parse. */
  readonly parse?: ((text: string) => unknown) | undefined;
}

/** The input of an operation: those of `params`, `query`, `headers` and `body` that it has. */
export type Input<O extends Operation> = Simplify<Part<O, 'params'> & Part<O, 'query'> & Part<O, 'headers'> & Part<O, 'body'>>;

type Part<O extends Operation, K extends string> = Operations[O] extends { [key in K]: infer T }
  ? Record<never, never> extends T
    ? { readonly [key in K]?: T | undefined }
    : { readonly [key in K]: T }
  : unknown;
type Simplify<T> = { [K in keyof T]: T[K] };
type Arguments<O extends Operation> =
  Record<never, never> extends Input<O> ? [input?: Input<O>, options?: CallOptions] : [input: Input<O>, options?: CallOptions];

/**
 * Calls the service with the session's cookie: `call('GET /api/v1/queries/{id}', { params: { id } })`.
 * Throws a Problem, or the AbortError of its signal.
 */
export async function call<O extends Operation>(operation: O, ...input: Arguments<O>): Promise<ResponseOf<O>> {
  return (await callWithHeaders(operation, ...input)).body;
}

/** For a response whose headers matter. */
export async function callWithHeaders<O extends Operation>(
  operation: O,
  ...[input, options = {}]: Arguments<O>
): Promise<{ readonly body: ResponseOf<O>; readonly headers: Headers }> {
  const response = await send(operation, input ?? {}, options);
  const text = await readText(response);
  const parse = options.parse ?? JSON.parse;
  // the types are generated from the service's OpenAPI document
  return { body: (text === '' ? null : parse(text)) as ResponseOf<O>, headers: response.headers };
}

/** For a response that is a file. */
export async function callForFile<O extends Operation>(operation: O, ...[input, options = {}]: Arguments<O>): Promise<Response> {
  return send(operation, input ?? {}, options);
}

/** Called when a response says that the session has ended. */
let sessionEnded: (problem: Problem) => void = () => {};
export const onSessionEnd = (listener: (problem: Problem) => void): void => {
  sessionEnded = listener;
};

export interface Parts {
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

/** The parts of an HTTP request, for fetch and for snippets. */
export function requestOf(operation: Operation, { params = {}, query = {}, headers = {}, body }: Parts) {
  const [method = 'GET', template = ''] = operation.split(' ');
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const search = new URLSearchParams(Object.entries(query).flatMap(searchEntries)).toString();
  return {
    method,
    path: search === '' ? path : `${path}?${search}`,
    headers: { ...texts(headers), ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    body: body === undefined ? null : JSON.stringify(body),
  };
}

async function send(operation: Operation, parts: Parts, { signal, ifMatch }: CallOptions): Promise<Response> {
  const { method, path, headers, body } = requestOf(operation, parts);
  const response = await reach(
    fetch(withBasePath(path), {
      method,
      headers: { Accept: 'application/json', ...headers, ...(ifMatch === undefined ? {} : { 'If-Match': `"${ifMatch}"` }) },
      body,
      credentials: 'same-origin',
      signal: signal ?? null,
    }),
  );
  if (response.ok) return response;
  const problem = await problemOfResponse(response);
  if (problem.status === 401 && !operation.endsWith('/session')) sessionEnded(problem);
  throw problem;
}

const readText = (response: Response): Promise<string> => reach(response.text());

/** fetch reports every network error as a TypeError. */
async function reach<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isAbort(error) ? error : unreachableProblem();
  }
}

/** A list is a repeated parameter. */
const searchEntries = ([name, value]: [string, unknown]): string[][] =>
  Array.isArray(value) ? value.map((each) => [name, String(each)]) : Object.entries(texts({ [name]: value }));

/** Leaves out what is undefined, null or empty. */
const texts = (values: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
    ),
  );
