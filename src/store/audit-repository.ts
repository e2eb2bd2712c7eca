import type { AuditEntry, AuditFilter, RecordedAuditEntry } from '../audit/audit-entry.ts';
import type { ListPage } from './list-page.ts';

export interface AuditRepository {
  /** One commit for all of them. */
  append(entries: readonly AuditEntry[]): Promise<void>;
  /** Newest first, by (at, seq). A page of a long scan may have fewer than `limit` entries and still a cursor. */
  list(filter: AuditFilter, request: { limit: number; cursor?: string }): Promise<ListPage<RecordedAuditEntry>>;
  /** Who received rows of a query since a time. A scan that takes too long covers a shorter time. */
  readCallers(request: CallersRequest): Promise<QueryCallers>;
  /** The failures among the latest calls of a query over every channel, by its technical name; null if there are none. */
  failuresOf(query: string, request: { readonly since: number; readonly among: number }): Promise<QueryFailures | null>;
  /** The last run of each query by a user among the user's latest entries, by technical name. */
  readLastRunsBy(
    user: { readonly userId: string; readonly username: string },
    queryNames: readonly string[],
    request: { readonly among: number },
  ): Promise<ReadonlyMap<string, Pick<AuditEntry, 'at' | 'outcome' | 'error' | 'rows' | 'durationMs'>>>;
  /** The latest calls of queries since a time, newest first, without management and sign-ins. */
  listLatestSince(since: number, limit: number): Promise<readonly CountedEntry[]>;
  deleteBefore(at: number, limit: number): Promise<number>;
  /** Entries before a time, oldest first by (at, seq), optionally only those after an entry. */
  listOldest(
    before: number,
    request: { limit: number; behind?: { at: number; seq: number } },
  ): Promise<readonly RecordedAuditEntry[]>;
  delete(seqs: readonly number[]): Promise<void>; // at most a thousand
  /** Null: entries are not stored by months. Only one process may call it at a time. */
  readonly keepPartitions: ((request: PartitionRequest) => Promise<void>) | null;
}

export interface CallersRequest {
  readonly query: string; // technical name
  readonly since: number;
  readonly now: number;
}
/** The calls of one account with one credential over one channel, to one version. */
export interface QueryCaller extends Pick<AuditEntry, 'kind' | 'apiKey' | 'application' | 'channel'> {
  readonly user: string;
  readonly version: number;
  readonly calls: number; // executions, not pages
  readonly viewers: number; // on whose behalf an application called
  readonly lastAt: number;
}
export interface QueryCallers {
  readonly callers: readonly QueryCaller[];
  readonly since: number; // all later calls are counted
}

export type CountedEntry = Pick<AuditEntry, 'at' | 'action' | 'channel' | 'outcome' | 'query' | 'durationMs' | 'cached'>;

/** `at` and `error` are those of the last failure. */
export interface QueryFailures {
  readonly at: number;
  readonly error: string;
  readonly count: number;
  readonly calls: number; // runs that were read
}

/** Adds the months (UTC) that follow `at`. Drops those that ended before `dropBefore`, or only the empty ones of them. */
export interface PartitionRequest {
  readonly at: number;
  readonly dropBefore: number | null;
  readonly onlyIfEmpty: boolean;
}
