import type { LiveDrain } from './live-drain.ts';
import type { WantedRows } from './snapshot-folder.ts';

/** The calls beside the drains, all of which need a slot of their database. */
export interface Load {
  counts(): { readonly running: number; readonly waiting: number };
  /** How many of the waiting calls could start if a query on this database ended. */
  wanting(source: string): number;
  /** How many calls could start at once on this database. */
  free(source: string): number;
  /** `listener` is called whenever a call begins to wait. */
  onWait(listener: () => void): void;
}

export interface DrainBounds {
  /** Read at once in any case: most results have no more. */
  readonly promptBytes: number;
  /** How far ahead of its readers a drain reads. */
  readonly aheadBytes: number;
  /** What nobody has asked for grows to this in the background, in all snapshots of the process. */
  readonly backgroundBytes: number;
  /** Past this the rows of a drain that is given up are removed at once. */
  readonly keptBytes: number;
  /** Without demand. */
  readonly pausedMs: number;
  /** Databases bound how long a statement may take with its pauses: one that is read slowly is read to its end by then. */
  readonly heldMs: number;
  /** So long after a page its reader is expected to come back. */
  readonly followedMs: number;
}

export const drainBounds: DrainBounds = {
  promptBytes: 2 ** 20,
  aheadBytes: 16 * 2 ** 20,
  backgroundBytes: 512 * 2 ** 20,
  keptBytes: 768 * 2 ** 20,
  pausedMs: 60_000,
  heldMs: 10 * 60_000,
  followedMs: 5_000,
};

export interface SchedulerOptions {
  readonly now: () => number;
  readonly load: Load;
  /** Drains per database that may wait for demand. */
  readonly maxPaused: number;
  /** Slots per database that are kept free, so that the next call need not wait until one of many drains has ended. */
  readonly reserve: number;
  readonly bounds: DrainBounds;
  /** What readers of other processes have asked for. */
  readonly wantedElsewhere: (id: string) => Promise<WantedRows | null>;
}

/**
 * Decides when the drains of this process may read on. A drain runs freely for its first bytes and while a reader waits for it; then, one
 * drain at a time, up to a bounded distance ahead of its readers. Past it the drain is paused: it goes on only while the process is idle.
 * One that nobody follows is given up when its slot is needed, or nobody has asked for a while.
 */
export class DrainScheduler {
  readonly #drains = new Map<string, LiveDrain>();
  readonly #unasked = new Map<string, number>(); // bytes of ended snapshots
  readonly #options: SchedulerOptions;
  #reading: LiveDrain | null = null;
  #isOpen = false;
  #isSoon = false;
  #isQuiet = true;
  #quietening: NodeJS.Timeout | undefined;
  #isResting = false;
  #ticker: NodeJS.Timeout | undefined;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    options.load.onWait(() => {
      if (this.#drains.size > 0) this.#reclaim();
    });
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

  /** `keptBytes` is what it leaves on disk. */
  remove(id: string, keptBytes: number): void {
    const drain = this.#drains.get(id);
    if (!drain) return;
    this.#drains.delete(id);
    drain.ended.resolve();
    if (keptBytes > drain.askedBytes) this.#unasked.set(id, keptBytes - drain.askedBytes);
    this.pass(drain);
    if (this.#drains.size === 0) this.#stopTicking();
  }

  /** Between two pieces. Null where the drain may read on at once. Throws where it was given up. */
  turn(drain: LiveDrain, rows: number, bytes: number): Promise<void> | null {
    drain.rows = rows;
    drain.bytes = bytes;
    drain.turnAt = this.#options.now();
    if (drain.givenUp) throw drain.givenUp;
    this.pass(drain);
    if (this.#isFree(drain)) return null;
    const turn = drain.nextTurn();
    if (this.isPaused(drain)) this.#boundPaused(drain);
    this.#reclaim();
    this.#dispatchSoon();
    this.#ticker ??= setInterval(() => void this.#tick(), tickMs).unref();
    return turn;
  }

  /** The drain does not read at the moment: another may. */
  pass(drain: LiveDrain): void {
    if (this.#reading !== drain) return;
    this.#reading = null;
    this.#dispatchSoon();
  }

  /** Far ahead of its readers. */
  isPaused(drain: LiveDrain): boolean {
    return !this.#isFree(drain) && !drain.givenUp && drain.bytes >= drain.askedBytes + this.#options.bounds.aheadBytes;
  }

  /** A call is being served. */
  active(): void {
    this.#isQuiet = false;
    this.#quietening ??= setTimeout(() => {
      this.#isQuiet = true;
      this.#dispatchSoon();
    }, quietMs).unref();
    this.#quietening.refresh();
  }

  /** A reader has had the rows up to there. */
  asked(drain: LiveDrain, bytes: number): void {
    drain.askedBytes = Math.max(drain.askedBytes, bytes);
    drain.askedAt = drain.followedAt = this.#options.now();
    this.#dispatchSoon();
  }

  /** Somebody reads a snapshot that is not filled here. */
  followed(id: string): void {
    this.#unasked.delete(id);
  }

  /** A reader waits until the returned function is called. */
  readerWaits(drain: LiveDrain): () => void {
    drain.readers++;
    drain.askedAt = drain.followedAt = this.#options.now();
    drain.goOn();
    return () => {
      drain.readers--;
    };
  }

  finish(drain: LiveDrain): void {
    drain.unbounded = true;
    drain.goOn();
  }

  /** Gives up a drain that nobody follows for the space of its rows; false where there is none. */
  async makeSpace(needing: LiveDrain | null, userId: string | null): Promise<boolean> {
    const isVictim = (drain: LiveDrain) => drain !== needing && !drain.needsSpace && (userId === null || drain.userId === userId);
    const victim = this.#worst([...this.#drains.values()].filter((drain) => this.#isUnasked(drain) && isVictim(drain)));
    if (!victim) return false;
    victim.giveUp(false);
    if (needing) needing.needsSpace = true;
    await victim.ended.promise;
    if (needing) needing.needsSpace = false;
    return true;
  }

  /** Of the ended snapshots only these are left. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#unasked.keys()) if (!ids.has(id)) this.#unasked.delete(id);
  }

  /** From here on every drain runs freely. */
  open(): void {
    this.#isOpen = true;
    for (const drain of this.#drains.values()) drain.goOn();
    this.#stopTicking();
  }

  #isFree(drain: LiveDrain): boolean {
    const isWanted = drain.readers > 0 || drain.wantedRows >= drain.rows;
    return this.#isOpen || drain.unbounded || isWanted || drain.bytes < drain.firstBytes + this.#options.bounds.promptBytes;
  }

  /** Not to be given up. */
  #isFollowed({ followedAt, isShared }: LiveDrain): boolean {
    const { now, bounds } = this.#options;
    return isShared || (followedAt !== null && now() - followedAt <= bounds.followedMs);
  }

  #unaskedInAll(): number {
    let bytes = 0;
    for (const each of this.#unasked.values()) bytes += each;
    for (const { unaskedBytes, givenUp } of this.#drains.values()) if (givenUp?.keepsRows !== false) bytes += unaskedBytes;
    return bytes;
  }

  #isIdle(waiting: number): boolean {
    const counts = this.#options.load.counts();
    return counts.waiting === 0 && counts.running <= waiting && this.#isQuiet;
  }

  #dispatchSoon(): void {
    if (this.#isSoon || this.#reading) return;
    this.#isSoon = true;
    // calls come first
    setImmediate(() => {
      this.#isSoon = false;
      this.#dispatch();
    });
  }

  #dispatch(): void {
    if (this.#reading) return;
    const waiting = [...this.#drains.values()].filter((drain) => drain.waitsForTurn).sort((a, b) => a.askedAt - b.askedAt);
    const behind = waiting.filter((drain) => !this.isPaused(drain));
    const next = behind.find((drain) => this.#isFollowed(drain)) ?? this.#nextUnfollowed(waiting, behind, waiting.length);
    if (!next) return;
    this.#reading = next;
    next.goOn();
  }

  #nextUnfollowed([first]: readonly LiveDrain[], [behind]: readonly LiveDrain[], count: number): LiveDrain | undefined {
    const isIdle = this.#isIdle(count);
    if (behind) {
      if (isIdle) return behind;
      if (this.#isResting) return undefined;
      this.#rest();
      return behind;
    }
    if (!first || !isIdle) return undefined;
    const inAll = this.#unaskedInAll();
    // a single result may become complete however large it is
    return inAll < this.#options.bounds.backgroundBytes || inAll === first.unaskedBytes ? first : undefined;
  }

  #rest(): void {
    this.#isResting = true;
    setTimeout(() => {
      this.#isResting = false;
      this.#dispatchSoon();
    }, spacingMs).unref();
  }

  async #tick(): Promise<void> {
    for (const [id, drain] of this.#drains) {
      const wanted = await this.#options.wantedElsewhere(id).catch(() => null);
      if (!wanted || wanted.mark === drain.wantedMark) continue;
      drain.wantedMark = wanted.mark;
      drain.wantedRows = Math.max(drain.wantedRows, wanted.rows);
      this.asked(drain, wanted.bytes);
      if (this.#isFree(drain)) drain.goOn();
    }
    const now = this.#options.now();
    const { pausedMs, heldMs, keptBytes } = this.#options.bounds;
    for (const drain of this.#drains.values()) {
      if (!drain.waitsForTurn || !this.#isUnasked(drain)) continue;
      const isLong = now - Math.max(drain.askedAt, drain.turnAt) > pausedMs;
      if (isLong && !drain.isShared) drain.giveUp(this.#unaskedInAll() <= keptBytes);
      else if (isLong || now - drain.beganAt > heldMs) this.finish(drain);
    }
    this.#reclaim();
    this.#dispatchSoon();
  }

  /** Drains make way for calls that wait for a slot, and for the next ones. */
  #reclaim(): void {
    for (const source of new Set([...this.#drains.values()].map((drain) => drain.source))) {
      const { load, reserve } = this.#options;
      let missing = load.wanting(source) - this.#leaving(source);
      while (missing-- > 0 && this.#makeWay(this.#unaskedOn(source)));
      const tooMany = this.#unaskedOn(source).length - this.#options.maxPaused;
      missing = Math.min(reserve - load.free(source) - this.#leaving(source), tooMany);
      while (missing-- > 0 && this.#giveUpOne(this.#unaskedOn(source)));
    }
  }

  #leaving(source: string): number {
    const isLeaving = (drain: LiveDrain) => drain.source === source && (drain.givenUp !== null || drain.unbounded);
    return [...this.#drains.values()].filter(isLeaving).length;
  }

  #boundPaused(drain: LiveDrain): void {
    for (;;) {
      const paused = this.#unaskedOn(drain.source).filter((each) => this.isPaused(each));
      if (paused.length <= this.#options.maxPaused || !this.#makeWay(paused.filter((each) => each !== drain))) return;
    }
  }

  #unaskedOn(source: string): readonly LiveDrain[] {
    return [...this.#drains.values()].filter((drain) => drain.source === source && this.#isUnasked(drain));
  }

  /** Reads, or could, without anybody waiting for it. */
  #isUnasked(drain: LiveDrain): boolean {
    return !drain.givenUp && !this.#isFree(drain);
  }

  /** Where all are followed, one is read to its end. */
  #makeWay(among: readonly LiveDrain[]): boolean {
    if (this.#giveUpOne(among)) return true;
    const [followed] = among.toSorted((a, b) => a.askedAt - b.askedAt);
    if (followed) this.finish(followed);
    return followed !== undefined;
  }

  #giveUpOne(among: readonly LiveDrain[]): boolean {
    const victim = this.#worst(among);
    victim?.giveUp(false);
    return victim !== undefined;
  }

  /** Of those that nobody follows: a paused one, of the user who has the most, that was asked for longest ago. */
  #worst(among: readonly LiveDrain[]): LiveDrain | undefined {
    const left = among.filter((drain) => !this.#isFollowed(drain));
    const countOf = ({ userId }: LiveDrain) => left.filter((drain) => drain.userId === userId).length;
    const isAhead = (drain: LiveDrain) => Number(!this.isPaused(drain));
    return left.toSorted((a, b) => isAhead(a) - isAhead(b) || countOf(b) - countOf(a) || a.askedAt - b.askedAt)[0];
  }

  #stopTicking(): void {
    clearInterval(this.#ticker);
    this.#ticker = undefined;
  }
}

const quietMs = 50;
const spacingMs = 10; // between two pieces that nobody asked for, while calls are served
const tickMs = 100;
