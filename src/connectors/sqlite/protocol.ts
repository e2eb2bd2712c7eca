/** What the service and its SQLite processes say to each other over one socket: JSON towards the process, frames back. */

export type Request =
  | { readonly type: 'describe'; readonly file: FileToOpen; readonly purpose: Purpose; readonly sql: string }
  | { readonly type: 'schema' | 'ping'; readonly file: FileToOpen }
  | {
      readonly type: 'run';
      readonly file: FileToOpen;
      readonly main: BoundSql;
      readonly epilogue?: BoundSql;
      readonly timeoutMs: number;
    }
  /** One batch more may be sent. */
  | { readonly type: 'more' }
  /** No batch is wanted any more. */
  | { readonly type: 'stop' }
  /** The rows were read and the Epilogue ran: make it last. */
  | { readonly type: 'commit' };

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

export const frameTypes = { columns: 1, batch: 2, epilogueRan: 3, end: 4, failure: 5, reply: 6 } as const;
/** Of every frame: the length of what follows it, and the type, 32 bits each. */
export const frameHeaderBytes = 8;
/** Batches that may be under way or unread at once. */
export const batchesAhead = 3;

export interface DeclaredColumn {
  readonly name: string;
  readonly type: string | null;
}

export interface FailureReport {
  readonly phase: 'open' | 'prepare' | 'run';
  readonly message: string;
  readonly code: number | null; // SQLite's extended result code
}

/** How a cell's bytes, which are its JSON, are to be read. */
export const cellTags = {
  null: 0,
  integer: 1,
  bigInteger: 2, // beyond 2^53, in quotes
  real: 3,
  plainText: 4, // nothing in it is escaped
  escapedText: 5,
  boolean: 6,
  blob: 7, // base64, in quotes
  json: 8,
} as const;
