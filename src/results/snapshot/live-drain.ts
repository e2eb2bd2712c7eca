/** Ends a drain before its last row, although nothing failed. */
export class DrainAbandonedError extends Error {
  readonly keepsRows: boolean;
  constructor(keepsRows: boolean) {
    super('The remaining rows were given up because nobody asked for them.');
    this.name = 'DrainAbandonedError';
    this.keepsRows = keepsRows;
  }
}

export interface DrainOptions {
  readonly source: string; // the database
  readonly userId: string;
  readonly isShared: boolean; // other calls may read the result, so it has to be complete
  readonly firstBytes: number; // the end of the first page
  readonly now: number;
  /** Interrupts the reading. */
  readonly stop: (error: Error) => void;
}

/** A drain of this process: how far it has read, and how far readers have requested rows. */
export class LiveDrain {
  readonly source: string;
  readonly userId: string;
  readonly isShared: boolean;
  readonly beganAt: number;
  rows = 0;
  bytes = 0;
  requestedBytes: number; // the end of the furthest requested page
  requestedAt: number;
  followedAt: number | null = null; // the last page after the first
  turnAt: number; // when it last read rows
  wantedRows = 0; // by a waiting reader in another process
  wantedMark = ''; // of that reader
  readers = 0; // waiting in this process
  /** Reads to the end even if no reader requests more rows. */
  unbounded = false;
  abandoned: DrainAbandonedError | null = null;
  /** Whether it waits until other drains release space. */
  needsSpace = false;
  readonly ended: PromiseWithResolvers<void> = Promise.withResolvers();
  readonly #stop: (error: Error) => void;
  #changed: PromiseWithResolvers<void> = Promise.withResolvers();
  #turn: PromiseWithResolvers<void> | null = null;

  constructor({ source, userId, isShared, firstBytes, now, stop }: DrainOptions) {
    this.source = source;
    this.userId = userId;
    this.isShared = isShared;
    this.requestedBytes = firstBytes;
    this.beganAt = now;
    this.requestedAt = now;
    this.turnAt = now;
    this.#stop = stop;
  }

  /** Resolves when rows have been written or the drain has ended. Get the promise before reading the state, so that no change is missed. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  /** Wakes the readers of this process. */
  wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  get unrequestedBytes(): number {
    return Math.max(0, this.bytes - this.requestedBytes);
  }

  get waitsForTurn(): boolean {
    return this.#turn !== null;
  }

  /** Rejects if the drain is abandoned. */
  waitForTurn(): Promise<void> {
    this.#turn = Promise.withResolvers();
    this.#turn.promise.catch(() => undefined); // the caller writes buffered rows before it awaits the promise
    return this.#turn.promise;
  }

  resume(): void {
    this.#turn?.resolve();
    this.#turn = null;
  }

  abandon(keepsRows: boolean): void {
    if (this.abandoned) return;
    this.abandoned = new DrainAbandonedError(keepsRows);
    this.#stop(this.abandoned);
    this.#turn?.reject(this.abandoned);
    this.#turn = null;
  }
}
