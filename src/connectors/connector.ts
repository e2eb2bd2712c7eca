import type { EngineDescription } from '../catalog/engine.ts';
import type { PlaceholderLimits } from '../catalog/parameter.ts';
import type { Column } from '../core/column.ts';
import type { FieldProblem } from '../core/errors.ts';
import type { BoundValue, SqlType } from '../core/sql-value.ts';
import type { RowStream } from '../results/row-stream.ts';
import type { DatabaseRecord } from '../store/metadata-store.ts';

/** The contract of every engine. `test/contracts/connector-contract.ts` is its conformance suite. */
export interface Connector {
  /** Prepares without running. Throws ConnectorError `invalid` where the database refuses the SQL. */
  describe(sql: string, parameters: readonly ParameterType[], signal: AbortSignal): Promise<readonly Column[]>;
  /**
   * Prepares an Epilogue without running it. Throws ConnectorError `invalid` where the database refuses it, and where it could
   * never run: on a connection that only reads, on an engine without transactions.
   */
  checkEpilogue(sql: string, parameters: readonly ParameterType[], signal: AbortSignal): Promise<void>;
  run(statement: Statement, options: RunOptions, signal: AbortSignal): Promise<RowStream>;
  schema(signal: AbortSignal): Promise<SchemaTree>;
  /** Resolves with warnings for the person who tests the connection ("this account can write"). */
  ping(signal: AbortSignal): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface ParameterType {
  readonly name: string; // '@Region'
  readonly type: SqlType;
}

/** A parameter of a statement that is prepared and not run. */
export const bindNull = ({ name, type }: ParameterType): BoundValue => ({ name, type, value: null });

export interface Statement {
  readonly sql: string; // names parameters `@Name`
  readonly parameters: readonly BoundValue[];
  /** Runs after the last row, in the same transaction, which is then committed. Without one the transaction is read-only. */
  readonly epilogue?: string;
}

export interface RunOptions {
  readonly timeoutMs: number;
}

export interface SchemaTree {
  readonly tables: readonly SchemaTable[];
  readonly truncated: boolean; // more tables than the cap
}
export interface SchemaTable {
  readonly schema: string;
  readonly name: string;
  readonly type: 'table' | 'view';
  readonly comment?: string;
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly nullable: boolean;
    readonly comment?: string;
  }[];
}

export type ConnectorErrorKind =
  | 'invalid' // the SQL cannot be prepared: only authors see the message
  | 'failed' // it failed while running
  | 'timeout'
  | 'cancelled'
  | 'unavailable'; // the database cannot be reached, or refuses the connection

/** In an author's text, from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export class ConnectorError extends Error {
  readonly kind: ConnectorErrorKind;
  readonly position: Position | undefined;
  /** The message does not reveal how the database is reached, so authors may read it whatever the kind. */
  readonly isForAuthors: boolean;

  constructor(
    kind: ConnectorErrorKind,
    message: string,
    options: { cause?: unknown; position?: Position | undefined; isForAuthors?: boolean } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'ConnectorError';
    this.kind = kind;
    this.position = options.position;
    this.isForAuthors = options.isForAuthors ?? false;
  }
}

/** The message of an embedded engine for a missing file; shown to authors. */
export const MISSING_FILE =
  'The database file does not exist. Check its name in the settings of the database, or restore the file.';

/** What a connector needs to open: the database record's connection and settings with decrypted secrets, and the context of the service. */
export interface OpenRequest {
  readonly name: string;
  readonly connection: Readonly<Record<string, unknown>>;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly writable: boolean;
  readonly context: ConnectorContext;
}

export interface ConnectorContext {
  readonly fileFolders: readonly string[]; // folders that may contain database files of users
  readonly trustedFiles: readonly string[]; // our own, such as the demo database
  readonly dataFolder: string;
  readonly scratchFolder: string; // for spilling
  readonly connections: number; // at most, per database
  readonly engineMemoryBytes?: number; // of a process that runs an embedded engine; left out: by the memory of the machine
}

/** One per engine, listed in `engines.ts`. The driver is imported inside `open`. */
export interface Engine extends EngineDescription {
  readonly placeholders: PlaceholderLimits;
  /** How the choices of a parameter are filtered; null: a query with ORDER BY or WITH cannot be a subquery. */
  readonly choices: ChoiceSyntax | null;
  readonly errorCodes: ConnectionErrorCodes;
  /** True if it receives bound values in the text of the statement, where its operators can see them. */
  readonly showsValues?: boolean;
  /** True if an unread result blocks writers: such a result never waits for its reader. */
  readonly blocksWriters?: boolean;
  /** True if a column may contain other values than its type says. */
  readonly hasLooseTypes?: boolean;
  /** Which fields of `connection` are secret: sealed at rest, never shown. */
  readonly secretFields: readonly string[];
  /** Problems of a connection as a person typed it, by field; empty when it is fine. Does not connect. */
  check(request: OpenRequest): readonly FieldProblem[];
  open(request: OpenRequest): Promise<Connector>;
}

/** A condition on a column of a subquery. */
export interface ChoiceSyntax {
  readonly quote: string;
  readonly toText: (column: string) => string;
  readonly contains: (text: string, part: string) => string;
  readonly keepsOrder: boolean; // of a subquery
}

export const standardChoices: ChoiceSyntax = {
  quote: '"',
  toText: (column) => `cast(${column} as varchar)`,
  contains: (text, part) => `strpos(${text}, ${part}) > 0`,
  keepsOrder: true,
};

/** Codes of the server and the driver for a connection that fails, by what is wrong. Those of Node.js need not be listed. */
export type ConnectionErrorCodes = Readonly<Partial<Record<ConnectionError, readonly string[]>>>;
export type ConnectionError =
  | 'credentials'
  | 'admission' // of this user, from this address
  | 'database'
  | 'busy'
  | 'starting'
  | 'withoutTls'
  | 'timeout'
  | 'closed';

/** The open connectors, one per database: what the pipeline runs queries on. */
export interface Connections {
  /** Throws ConnectorError if there is none. */
  engineOf(database: Pick<DatabaseRecord, 'kind'>): Engine;
  /** Opens the database on first use, and again when its record has changed. Waits no longer than the signal allows. Throws ConnectorError. */
  connectorFor(database: DatabaseRecord, signal?: AbortSignal): Promise<Connector>;
  /** Closes it once its running queries have ended, or a grace has passed. Never rejects. */
  forget(databaseId: string): Promise<void>;
  closeAll(): Promise<void>;
}
