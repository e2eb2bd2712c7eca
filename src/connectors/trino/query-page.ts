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

export function parsePage(text: string): QueryPage {
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
