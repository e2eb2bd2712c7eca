import type { UserKind } from '../access/user.ts';
import type { Channel } from '../audit/audit-entry.ts';

/** A running execution as a process reports it to the others. */
export interface ReportedExecution {
  readonly id: string;
  readonly query: string; // technical name
  readonly userId: string;
  readonly user: string;
  readonly kind: UserKind; // of the user
  readonly application: string | null; // that the user signed in from
  readonly viewer: string | null; // on whose behalf an application called
  readonly channel: Channel;
  readonly request: string | null; // by which its caller can cancel it
  readonly startedAt: number;
  readonly rows: number;
  readonly state: 'waiting' | 'running' | 'draining' | 'cancelling';
}
export interface ExecutionRepository {
  /** Replaces the previous report of the process. Returns the ids to cancel. Deletes executions not reported since `forgetBefore`. */
  report(
    process: string,
    running: readonly ReportedExecution[],
    times: { readonly at: number; readonly forgetBefore: number },
  ): Promise<readonly string[]>;
  list(seenSince: number): Promise<readonly ReportedExecution[]>;
  /** Requests a cancellation. False if the execution was not reported since. */
  cancel(id: string, seenSince: number): Promise<boolean>;
}

/** Work that only one process does at a time. */
export interface LeaseRepository {
  /** False while another process holds it. The holder may take it again to extend it. */
  take(name: string, holder: string, times: { readonly at: number; readonly until: number }): Promise<boolean>;
  release(name: string, holder: string): Promise<void>;
}

/** Failed password checks, by what they are counted under: an account, an address or both. */
export interface GuessRepository {
  note(about: readonly string[], times: { readonly at: number; readonly forgetBefore: number }): Promise<void>;
  listLatest(about: string, request: { readonly since: number; readonly limit: number }): Promise<readonly number[]>; // newest first
}

/** Limits that all replicas keep together, by the clock of the store. A process takes several at once. */
export interface LimitRepository {
  /** How many of the wanted calls are granted. An allowance grows by `perSecond`, up to the calls of one second. */
  takeCalls(name: string, perSecond: number, wanted: number): Promise<number>;
  /**
   * How many slots the process may use from now on: those it wants, or as many as others leave. If the processes want more than there are,
   * each gets at least an equal part; slots in use beyond that count until the process asks again. A process that does not repeat it within
   * 15 seconds loses them.
   */
  holdSlots(request: SlotRequest): Promise<number>;
  /**
   * Counts `added` rows of the day for the key, and from now on holds those that the process wants, or as many as the limit and other
   * processes leave. Repeat it within 15 seconds, as for slots.
   */
  holdRows(request: RowRequest): Promise<HeldRows>;
  /** Reports that the process still holds its slots, and removes those of lost processes. */
  keepSlots(process: string): Promise<void>;
  /** Slots and rows. */
  drop(process: string): Promise<void>;
}

export interface SlotRequest {
  readonly name: string;
  readonly process: string;
  readonly most: number;
  readonly wanted: number;
  readonly used: number; // no more may be used until the response
}

interface RowRequest {
  readonly keyId: string;
  readonly process: string;
  readonly day: number; // since 1970, UTC
  readonly most: number;
  readonly added: number;
  readonly wanted: number;
}
export interface HeldRows {
  readonly granted: number;
  readonly had: number; // rows that the key received today
  readonly others: number; // rows that other processes hold
}
