import type { Column } from '../results/column.ts';

export const queryStatuses = ['Draft', 'Validated', 'Active', 'Inactive', 'Void'] as const;
export type QueryStatus = (typeof queryStatuses)[number];

/** A declared parameter of a query. */
export interface ParameterDefinition {
  readonly name: string; // '@Region'
  readonly dataType: string; // as its author spelled it; see sql-type.ts
  readonly required: boolean;
  readonly default?: string;
  readonly description?: string;
  readonly values?: readonly string[]; // the choices a form offers
  readonly masked?: boolean; // the audit trail shows *** for its values
}

/** What an author may say of a result column. */
export interface ColumnDefinition {
  readonly name: string;
  readonly displayName?: string;
  readonly type?: 'categorical' | 'numeric';
}

/** What a version fixes: callers keep it until another version is activated. */
export interface QueryDefinition {
  readonly name: string; // display name
  readonly databaseId: string;
  readonly sql: string;
  readonly epilogue?: string;
  readonly parameters: readonly ParameterDefinition[];
  readonly columns: readonly ColumnDefinition[];
  readonly timeoutSeconds?: number;
  readonly maxRows?: number;
  readonly cacheSeconds?: number;
}

/** What changes at once, without a new version of the SQL. */
export interface QueryLabels {
  readonly description: string;
  readonly tip: string;
  readonly tags: readonly string[];
  readonly aiAccess: boolean;
  readonly roleIds: readonly string[]; // empty: every role
}

export interface QueryVersion {
  readonly queryId: string;
  readonly version: number;
  readonly definition: QueryDefinition;
  readonly labels: QueryLabels;
  /** Discovered by validation; null before it. */
  readonly resultColumns: readonly Column[] | null;
  readonly createdAt: number;
  readonly createdBy: string; // user name
}

/**
 * A catalog entry. `current` is what callers see where it is Active; a `draft` beside it waits for its own activation.
 * The entry's status is the status of `current`.
 */
export interface Query {
  readonly id: string;
  readonly queryName: string; // technical name
  readonly nameFixed: boolean; // true from the first activation on
  readonly status: QueryStatus;
  readonly current: QueryVersion;
  readonly draft: (QueryVersion & { readonly status: 'Draft' | 'Validated' }) | null;
  readonly lastVersion: number; // the highest number given out
  readonly revision: number; // grows with every write, moves included
  readonly createdAt: number;
  readonly createdBy: string;
  readonly updatedAt: number;
  readonly updatedBy: string;
}
