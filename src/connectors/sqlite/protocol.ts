/** What the service and its SQLite processes exchange, in the frames of `embedded/frames.ts`. */

export type Request =
  | { readonly type: 'describe'; readonly file: FileToOpen; readonly purpose: Purpose; readonly sql: string }
  | { readonly type: 'schema' | 'ping'; readonly file: FileToOpen }
  | {
      readonly type: 'run';
      readonly file: FileToOpen;
      readonly main: BoundSql;
      readonly epilogue?: BoundSql;
      readonly timeoutMs: number;
    };

/** What an author's statement is for. */
export type Purpose = 'select' | 'epilogue';

export interface FileToOpen {
  readonly path: string; // links resolved
  readonly writable: boolean;
}

export interface BoundSql {
  readonly sql: string;
  readonly values: Readonly<Record<string, WireValue>>; // by name, '@' included
}

/** A value to bind, by storage class; the text is decimal digits, the text itself, or base64. */
export type WireValue = readonly ['null'] | readonly ['integer' | 'real' | 'text' | 'blob', string];

export interface DeclaredColumn {
  readonly name: string;
  readonly type: string | null;
}

export interface FailureReport {
  readonly phase: 'open' | 'prepare' | 'run';
  readonly message: string;
  readonly code: number | null; // SQLite's extended result code
  readonly isForAuthors?: boolean; // as in ConnectorError
}
