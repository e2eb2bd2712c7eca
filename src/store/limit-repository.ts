/** Limits that all replicas keep together, by the clock of the store. A process takes several at once. */
export interface LimitRepository {
  /** How many of the wanted calls are granted. An allowance grows by `perSecond`, up to the calls of one second. */
  takeCalls(name: string, perSecond: number, wanted: number): Promise<number>;
  /**
   * How many slots the process holds from now on: those it wants, or as many as others leave. Fewer than before returns the rest. A
   * process that does not repeat it within 15 seconds loses them.
   */
  holdSlots(name: string, process: string, most: number, wanted: number): Promise<number>;
  /**
   * Counts `added` rows of the day for the key, and from now on holds those that the process wants, or as many as the limit and other
   * processes leave. Repeat it within 15 seconds, as for slots.
   */
  holdRows(request: RowRequest): Promise<HeldRows>;
  /** Tells that the process still holds its slots, and removes those of lost processes. */
  keepSlots(process: string): Promise<void>;
  /** Slots and rows. */
  drop(process: string): Promise<void>;
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
