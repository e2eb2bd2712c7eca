import type { WantedRows } from '../storage/snapshot-storage.ts';
import type { LiveDrain } from './live-drain.ts';

/** The calls that need the slots which drains hold. */
export interface Load {
  counts(): { readonly running: number; readonly waiting: number };
  /** How many of the waiting calls could start if a query on this database ended. */
  countWaiting(source: string): number;
  /** `listener` is called whenever a call begins to wait. */
  onWait(listener: () => void): void;
}

export interface DrainBounds {
  /** How far a drain reads past the first page until a reader requests the next one. Most results are shorter. */
  readonly promptBytes: number;
  /** How far a drain then reads ahead of its readers. */
  readonly aheadBytes: number;
  /** How many bytes beyond those that readers requested an idle process stores, in all its snapshots. */
  readonly backgroundBytes: number;
  /** How long a drain may be paused. */
  readonly pausedMs: number;
  /** The maximum age of a paused drain: databases limit the duration of a statement, pauses included. */
  readonly heldMs: number;
  /** How long after a page its reader is expected to request the next one. */
  readonly followedMs: number;
}

export const drainBounds: DrainBounds = {
  promptBytes: 2 ** 20,
  aheadBytes: 16 * 2 ** 20,
  backgroundBytes: 512 * 2 ** 20,
  pausedMs: 60_000,
  heldMs: 10 * 60_000,
  followedMs: 5_000,
};

export interface SchedulerOptions {
  readonly now: () => number;
  readonly load: Load;
  /** Whether no call has used a snapshot for a moment. */
  readonly isQuiet: () => boolean;
  /** The maximum number of paused drains per database. */
  readonly maxPaused: number;
  readonly bounds: DrainBounds;
  /** The rows that readers in other processes have requested. */
  readonly readWantedElsewhere: (id: string) => Promise<WantedRows | null>;
}

/**
 * Decides when the drains of this process may read on:
 * - A drain reads freely while a reader waits for it, and up to a bounded distance ahead of its readers. Then it is paused.
 * - Paused drains read on while the process serves no calls.
 * - A paused drain is abandoned when its slot or its space is needed, or after a minute. If a reader has just asked for rows, or if calls
 *   share the result, the drain is completed at full speed instead.
 */
export class DrainScheduler {
  readonly #drains = new Map<string, LiveDrain>();
  readonly #unrequested = new Map<string, number>(); // bytes of ended snapshots
  readonly #options: SchedulerOptions;
  #isOpen = false;
  #isBackgroundDue = false;
  #ticker: NodeJS.Timeout | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    options.load.onWait(() => this.#freeSlotsForCalls());
  }

  get(id: string): LiveDrain | undefined {
    return this.#drains.get(id);
  }

  has(id: string): boolean {
    return this.#drains.has(id);
  }

  add(id: string, drain: LiveDrain): void {
    this.#drains.set(id, drain);
  }

  /** `keptBytes` remain on disk. */
  remove(id: string, keptBytes: number): void {
    const drain = this.#drains.get(id);
    if (!drain) return;
    this.#drains.delete(id);
    drain.ended.resolve();
    if (keptBytes > drain.requestedBytes) this.#unrequested.set(id, keptBytes - drain.requestedBytes);
    this.#readOnInBackground();
    if (this.#drains.size === 0) this.#stopTicking();
  }

  /** Called after each piece. Returns null if the drain may read on at once. Throws if it was abandoned. */
  takeTurn(drain: LiveDrain, rows: number, bytes: number): Promise<void> | null {
    drain.rows = rows;
    drain.bytes = bytes;
    drain.turnAt = this.#options.now();
    if (drain.abandoned) throw drain.abandoned;
    if (this.#isFree(drain)) return null;
    const turn = drain.waitForTurn();
    this.#limitPaused(drain);
    this.#freeSlotsForCalls();
    this.#readOnInBackground();
    this.#ticker ??= setInterval(() => void this.#tick(), tickMs).unref();
    return turn;
  }

  /** Reports that a reader has received the rows up to `bytes`. */
  reportRead(drain: LiveDrain, bytes: number): void {
    drain.requestedBytes = Math.max(drain.requestedBytes, bytes);
    drain.requestedAt = drain.followedAt = this.#options.now();
    if (this.#isFree(drain)) drain.resume();
  }

  /** Reports that a snapshot which is not filled here is being read. */
  reportFollowed(id: string): void {
    this.#unrequested.delete(id);
  }

  /** Adds a waiting reader, for which the drain reads freely; the returned function removes it. */
  addReader(drain: LiveDrain): () => void {
    drain.readers++;
    drain.requestedAt = drain.followedAt = this.#options.now();
    drain.resume();
    return () => {
      drain.readers--;
    };
  }

  /** Completes the drain at full speed. */
  finish(drain: LiveDrain): void {
    drain.unbounded = true;
    drain.resume();
  }

  /** Abandons a paused drain to free its disk space. Returns false if there is none. */
  async makeSpace(needing: LiveDrain | null, userId: string | null): Promise<boolean> {
    const isVictim = (drain: LiveDrain) => drain !== needing && !drain.needsSpace && (userId === null || drain.userId === userId);
    const victim = this.#findVictim([...this.#drains.values()].filter((drain) => this.#isPaused(drain) && isVictim(drain)));
    if (!victim) return false;
    victim.abandon(false);
    if (needing) needing.needsSpace = true;
    await victim.ended.promise;
    if (needing) needing.needsSpace = false;
    return true;
  }

  /** Removes the ended snapshots that were deleted from the sum. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#unrequested.keys()) if (!ids.has(id)) this.#unrequested.delete(id);
  }

  /** Lets every drain read freely from now on. */
  open(): void {
    this.#isOpen = true;
    for (const drain of this.#drains.values()) drain.resume();
    this.#stopTicking();
  }

  #isFree(drain: LiveDrain): boolean {
    const { promptBytes, aheadBytes } = this.#options.bounds;
    const isWanted = drain.readers > 0 || drain.wantedRows >= drain.rows;
    const distance = drain.followedAt === null ? promptBytes : aheadBytes;
    return this.#isOpen || drain.unbounded || isWanted || drain.bytes < drain.requestedBytes + distance;
  }

  #isPaused(drain: LiveDrain): boolean {
    return !drain.abandoned && !this.#isFree(drain);
  }

  #listPaused(source: string): LiveDrain[] {
    return [...this.#drains.values()].filter((drain) => drain.source === source && this.#isPaused(drain));
  }

  #isFollowed({ followedAt, isShared }: LiveDrain): boolean {
    const { now, bounds } = this.#options;
    return isShared || (followedAt !== null && now() - followedAt <= bounds.followedMs);
  }

  #sumUnrequested(): number {
    let bytes = 0;
    for (const each of this.#unrequested.values()) bytes += each;
    for (const { unrequestedBytes, abandoned } of this.#drains.values())
      if (abandoned?.keepsRows !== false) bytes += unrequestedBytes;
    return bytes;
  }

  get #isIdle(): boolean {
    const { running, waiting } = this.#options.load.counts();
    return this.#options.isQuiet() && waiting === 0 && running <= this.#drains.size;
  }

  /** Reads one piece of each drain, after the calls that have arrived in the meantime. */
  #readOnInBackground(): void {
    if (this.#isBackgroundDue) return;
    this.#isBackgroundDue = true;
    setImmediate(() => {
      this.#isBackgroundDue = false;
      if (!this.#isIdle) return;
      const unrequested = this.#sumUnrequested();
      for (const drain of this.#drains.values()) {
        // a single result may become complete however large it is
        if (unrequested < this.#options.bounds.backgroundBytes || unrequested === drain.unrequestedBytes) drain.resume();
      }
    });
  }

  async #tick(): Promise<void> {
    for (const [id, drain] of this.#drains) {
      const wanted = await this.#options.readWantedElsewhere(id).catch(() => null);
      if (!wanted || wanted.mark === drain.wantedMark) continue;
      drain.wantedMark = wanted.mark;
      drain.wantedRows = Math.max(drain.wantedRows, wanted.rows);
      this.reportRead(drain, wanted.bytes);
    }
    const now = this.#options.now();
    const { pausedMs, heldMs, backgroundBytes } = this.#options.bounds;
    for (const drain of this.#drains.values()) {
      if (!drain.waitsForTurn || !this.#isPaused(drain)) continue;
      const isLong = now - Math.max(drain.requestedAt, drain.turnAt) > pausedMs;
      if (isLong && !drain.isShared) drain.abandon(this.#sumUnrequested() <= backgroundBytes);
      else if (isLong || now - drain.beganAt > heldMs) this.finish(drain);
    }
    this.#freeSlotsForCalls();
    this.#readOnInBackground();
  }

  #freeSlotsForCalls(): void {
    for (const source of new Set([...this.#drains.values()].map((drain) => drain.source))) {
      let missing = this.#options.load.countWaiting(source) - this.#countLeaving(source);
      while (missing-- > 0 && this.#freeSlot(this.#listPaused(source)));
    }
  }

  #countLeaving(source: string): number {
    const isLeaving = (drain: LiveDrain) => drain.source === source && (drain.abandoned !== null || drain.unbounded);
    return [...this.#drains.values()].filter(isLeaving).length;
  }

  #limitPaused(newest: LiveDrain): void {
    for (;;) {
      const paused = this.#listPaused(newest.source);
      if (paused.length <= this.#options.maxPaused || !this.#freeSlot(paused.filter((drain) => drain !== newest))) return;
    }
  }

  /** Abandons one drain, or completes one if all are followed. Returns false if there is none. */
  #freeSlot(among: readonly LiveDrain[]): boolean {
    const victim = this.#findVictim(among);
    victim?.abandon(false);
    if (victim) return true;
    const [followed] = among.toSorted((a, b) => a.requestedAt - b.requestedAt);
    if (followed) this.finish(followed);
    return followed !== undefined;
  }

  /** The drain whose last request is oldest, of the user with the most drains that are not followed. */
  #findVictim(among: readonly LiveDrain[]): LiveDrain | undefined {
    const left = among.filter((drain) => !this.#isFollowed(drain));
    const countOf = ({ userId }: LiveDrain) => left.filter((drain) => drain.userId === userId).length;
    return left.toSorted((a, b) => countOf(b) - countOf(a) || a.requestedAt - b.requestedAt)[0];
  }

  #stopTicking(): void {
    clearInterval(this.#ticker);
    this.#ticker = undefined;
  }
}

const tickMs = 100;
