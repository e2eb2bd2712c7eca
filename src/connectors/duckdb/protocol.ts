import type { ConnectorErrorKind, ParameterType, Position, Statement } from '../connector.ts';

/** What the service and a DuckDB process exchange, in the frames of `embedded/frames.ts`. */
export type Request =
  /** The first request, and the only one before its response. */
  | ({ readonly type: 'open' } & FileToOpen)
  | { readonly type: 'describe' | 'checkEpilogue'; readonly sql: string; readonly parameters: readonly ParameterType[] }
  | { readonly type: 'run'; readonly statement: Statement }
  | { readonly type: 'schema' | 'ping' };

export interface FileToOpen {
  readonly path: string; // links resolved
  readonly writable: boolean;
  readonly scratchFolder: string; // for this process alone
  readonly connections: number;
  readonly memoryBytes: number; // of the whole process
}

/** A ConnectorError. */
export interface FailureReport {
  readonly kind: ConnectorErrorKind;
  readonly message: string;
  readonly position?: Position | undefined;
  readonly isForAuthors?: boolean;
}
