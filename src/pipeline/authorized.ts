import type { Principal } from '../access/principal.ts';
import type { SentParameter } from '../catalog/parameter.ts';
import type { Query } from '../catalog/query.ts';
import type { BoundParameter } from '../core/sql-value.ts';
import type { SnapshotPosition } from '../results/snapshot-position.ts';
import type { DatabaseRecord } from '../store/metadata-store.ts';
import type { Call } from './call.ts';
import type { Pin, QueryReference } from './find-query.ts';
import type { RowAllowance } from './limits/row-quota.ts';
import type { ResponseBytes } from './limits/unsent-bytes.ts';
import type { AuditDraft } from './steps/audit-call.ts';
import type { SentChart } from './steps/embed-chart.ts';

/** A call either runs a query or continues the result of an earlier call. */
export type QueryForm = RunForm | ContinueForm;

export interface RunForm {
  readonly run: QueryReference;
  readonly parameters: readonly SentParameter[];
  /** The choices of this parameter are wanted instead of rows: only the parameters that they depend on are bound. */
  readonly choicesOf?: string;
  /** Values that are stored with an embed or a data link, for parameters that the caller does not send. */
  readonly kept?: readonly SentParameter[];
  /** Parameters that later callers send: they need no value now. */
  readonly open?: readonly string[];
  /** `open` as the caller sent it: its names are checked together with the parameters. */
  readonly sentOpen?: readonly string[];
  /** Parameters that are bound to the caller are left out: they are bound to later callers. */
  readonly isForViewers?: boolean;
  /** The chart of the result: it is checked before the query runs, together with the parameters. */
  readonly checkedChart?: SentChart;
}

export interface ContinueForm {
  readonly continue: string; // a QueryMoreCode, or the token of a stream
  readonly kind: 'page' | 'stream' | 'export';
  /** If they are sent, they must be those of the result. */
  readonly query?: QueryReference;
  readonly parameters?: readonly SentParameter[];
}

/** A call that passed every check: this principal runs this query with these values, or continues at this position. */
export interface Authorized<Form extends QueryForm> {
  readonly call: Call;
  readonly form: Form;
  readonly principal: Principal;
  readonly query: Query;
  readonly database: DatabaseRecord;
  readonly pin: Pin | null; // null: the caller did not name a version
  readonly values: readonly BoundParameter[];
  readonly position: (SnapshotPosition & { readonly chunkIndex?: number }) | null; // null: the query is to run
  readonly draft: AuditDraft;
  readonly allowance: RowAllowance; // use-cases that return rows reserve them before they run
  readonly response: ResponseBytes; // use-cases that make large responses claim their bytes before
}
