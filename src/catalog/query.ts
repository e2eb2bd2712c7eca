import type { z } from 'zod';
import type { Column } from '../core/column.ts';
import type { queryChart } from './chart-fields.ts';
import type {
  parameterChoices,
  queryColumn,
  queryParameter,
  SetFields,
  WrittenDefinition,
  WrittenLabels,
} from './query-fields.ts';

export const queryStatuses = ['Draft', 'Validated', 'Active', 'Inactive', 'Void'] as const;
export type QueryStatus = (typeof queryStatuses)[number];

export type ParameterChoices = Readonly<z.output<typeof parameterChoices.shown>>;
export type ParameterDefinition = Readonly<z.output<typeof queryParameter.shown>>;
export type ColumnDefinition = Readonly<z.output<typeof queryColumn.shown>>;
export type QueryChart = Readonly<z.output<typeof queryChart.shown>>;

/** The part of a query that a version fixes until another version is activated. */
export interface QueryDefinition extends SetFields<WrittenDefinition> {
  readonly databaseId: string;
}

/** The part of a query that changes immediately, without a new version of the SQL. */
export interface QueryLabels extends WrittenLabels {
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
  /** Left out: it was never Active. */
  readonly activation?: Activation;
}

/** Callers pin a version by its number at activation, which changes of labels keep. */
export interface Activation {
  readonly number: number;
  readonly at: number;
  readonly retiresAt: number | null; // from then on it cannot be pinned
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
