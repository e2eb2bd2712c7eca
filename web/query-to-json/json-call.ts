import type { SentParameter, Session } from '../app/wire.ts';
import type { HttpCall } from '../components/copy/curl.ts';
import { type Appearance, type Credential, credentialHeaders } from './credential.ts';

/** The values of the fields; '' if empty. */
export interface JsonRequest {
  readonly queryName: string;
  readonly parameters: readonly SentParameter[];
  readonly rowIndex: string;
  readonly rowSize: string;
  readonly queryMoreCode: string;
}

/** `v1`: paging in headers, PascalCase. `short`: everything in the body, camelCase. */
export type CallShape = 'v1' | 'short';

/** Builds the call from the fields. */
export function jsonCall(
  request: JsonRequest,
  shape: CallShape,
  credential: Credential,
  appearance: Appearance,
  { baseUrl, rowsDefault }: Pick<Session, 'baseUrl' | 'rowsDefault'>,
): HttpCall {
  const { path, headers, body } = shape === 'v1' ? v1Call(request) : toShortCall(request, rowsDefault);
  return {
    method: 'POST',
    url: baseUrl + path,
    headers: { ...credentialHeaders(credential, appearance), 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body, null, 2),
  };
}

interface Call {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const v1Call = ({ queryName, parameters, rowIndex, rowSize, queryMoreCode }: JsonRequest): Call => ({
  path: '/api/v1/JsonBuilder/ExecuteQuery',
  headers: omitEmpty({ RowIndex: rowIndex, RowSize: rowSize, QueryMoreCode: queryMoreCode }),
  body: { QueryName: queryName, Parameters: parameters },
});

function toShortCall({ queryName, parameters, rowIndex, rowSize, queryMoreCode }: JsonRequest, rowsDefault: number): Call {
  // a continuation keeps the row size of the first page
  const size = rowSize === '' && queryMoreCode === '' ? rowsDefault : numberOf(rowSize);
  return {
    path: `/api/query/execute/${encodeURIComponent(queryName)}`,
    headers: {},
    body: {
      ...(parameters.length === 0
        ? {}
        : { parameters: Object.fromEntries(parameters.map(({ ParameterName, Value }) => [ParameterName, Value])) }),
      ...(rowIndex === '' ? {} : { rowIndex: numberOf(rowIndex) }),
      ...(size === null ? {} : { rowSize: size }),
      ...(queryMoreCode === '' ? {} : { queryMoreCode }),
    },
  };
}

const numberOf = (text: string): number | null => (text === '' ? null : Number(text));

const omitEmpty = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
