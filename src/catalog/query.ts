import type { Aggregate, ChartOptions, ChartType, SortBy } from '../core/chart-config.ts';
import type { Column } from '../core/column.ts';

export const queryStatuses = ['Draft', 'Validated', 'Active', 'Inactive', 'Void'] as const;
export type QueryStatus = (typeof queryStatuses)[number];

/** Where the choices of a parameter come from. */
export interface ParameterChoices {
  readonly query: string; // technical name
  readonly value: string; // display column
  readonly label?: string; // display column; default: value
  readonly parameters?: Readonly<Record<string, string>>; // parameters of that query, by the one of this query that they get
}

/** A declared parameter of a query. */
export interface ParameterDefinition {
  readonly name: string; // '@Region'
  readonly label?: string; // what forms show instead of the name
  readonly dataType: string; // as spelled by the author; see sql-type.ts
  readonly required: boolean;
  readonly default?: string;
  readonly description?: string;
  readonly values?: readonly string[]; // the only ones that are taken, unless the list is open
  readonly valuesOpen?: boolean; // the values are suggestions
  /** The value comes from the identity of the caller and cannot be sent: `user.name`, `user.attributes.region`. */
  readonly boundTo?: string;
  readonly choices?: ParameterChoices;
  readonly choicesOnly?: boolean; // refuses other values
  readonly multiple?: boolean; // a list: the SQL writes `in (@Regions)`
  readonly masked?: boolean; // the audit trail shows *** for its values
}

/** The author's settings for a result column. */
export interface ColumnDefinition {
  readonly name: string;
  readonly displayName?: string;
  readonly type?: 'categorical' | 'numeric';
}

/** The chart that a query is drawn as unless the reader chooses another. Columns are named by their display name. */
export interface QueryChart {
  readonly type: ChartType;
  readonly label: string;
  readonly data: readonly string[]; // at least one
  readonly series?: string; // one series for each of its values; with one data column only
  readonly aggregate?: Aggregate;
  readonly sortBy?: SortBy;
  readonly options?: Partial<ChartOptions>;
}

/** The part of a query that a version fixes until another version is activated. */
export interface QueryDefinition {
  readonly name: string; // display name
  readonly databaseId: string;
  readonly sql: string;
  readonly epilogue?: string;
  readonly parameters: readonly ParameterDefinition[];
  readonly columns: readonly ColumnDefinition[];
  readonly chart?: QueryChart;
  readonly timeoutSeconds?: number;
  readonly maxRows?: number;
  readonly cacheSeconds?: number;
}

/** The part of a query that changes immediately, without a new version of the SQL. */
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
  readonly note: string; // why this version exists; may be empty
  /** Found by validation; null before it. */
  readonly resultColumns: readonly Column[] | null;
  readonly createdAt: number;
  readonly createdBy: string; // user name
}

/**
 * A catalog entry. Callers get `current` while it is Active; a `draft` awaits its own activation. The status of the entry is the
 * status of `current`.
 */
export interface Query {
  readonly id: string;
  readonly queryName: string; // technical name
  readonly nameFixed: boolean; // true after the first activation
  readonly status: QueryStatus;
  readonly current: QueryVersion;
  readonly draft: (QueryVersion & { readonly status: 'Draft' | 'Validated' }) | null;
  readonly lastVersion: number; // the highest version number used
  readonly revision: number; // incremented by every write, including transitions
  readonly createdAt: number;
  readonly createdBy: string;
  readonly updatedAt: number;
  readonly updatedBy: string;
}
