import { createLease, type Lease } from '../../core/concurrency/lease.ts';
import type { LimitRepository } from '../../store/metadata-store.ts';

/**
 * Limits over all replicas. A process takes a tenth of a second's calls, or a part of the slots, at a time, so that most calls are decided
 * without the store.
 */
export type SharedLimits = ReturnType<typeof createSharedLimits>;

export function createSharedLimits(limits: LimitRepository, process: string, now: () => number) {
  const calls = new Map<string, Calls>(); // the least recently used first
  const slots = new Map<string, Slots>();

  const callsOf = (name: string, perSecond: number): Calls => {
    const known = calls.get(name);
    calls.delete(name);
    const found = known?.perSecond === perSecond ? known : new Calls(limits, name, perSecond, now);
    calls.set(name, found);
    if (calls.size > MOST_NAMES) calls.delete(calls.keys().next().value ?? '');
    return found;
  };
  const slotsOf = (name: string, most: number): Slots => {
    const found = slots.get(name) ?? new Slots(limits, name, process, now);
    slots.set(name, found);
    found.most = most;
    return found;
  };

  return {
    /** Seconds to wait; 0: the call is within the rate. */
    admit: (name: string, perSecond: number): Promise<number> => callsOf(name, perSecond).admit(),
    /** A slot, or null if all are in use. */
    acquire: (name: string, most: number): Promise<Lease | null> => slotsOf(name, most).acquire(),
    /** Returns slots that were not needed lately, and tells that this process is alive. Call it every second. */
    async renew(): Promise<void> {
      if (slots.size === 0) return;
      for (const [name, each] of slots) {
        await each.returnIdle();
        if (each.held === 0 && each.used === 0) slots.delete(name);
      }
      await limits.keepSlots(process);
    },
    /** The process ends: others need not wait until its slots and rows are lost. */
    close: (): Promise<void> => limits.drop(process),
  };
}

const MOST_NAMES = 10_000;
const LEASE_MS = 1_000; // calls that were not made by then are lost, so that a saved allowance stays one second's
const ASK_AGAIN_MS = 50;

class Calls {
  readonly perSecond: number;
  readonly #limits: LimitRepository;
  readonly #name: string;
  readonly #now: () => number;
  readonly #batch: number;
  #left = 0;
  #until = 0;
  #emptyUntil = 0;
  #waiting = 0;
  #taking: Promise<void> | null = null;

  constructor(limits: LimitRepository, name: string, perSecond: number, now: () => number) {
    this.#limits = limits;
    this.#name = name;
    this.perSecond = perSecond;
    this.#now = now;
    this.#batch = Math.max(1, Math.ceil(perSecond / 10));
  }

  async admit(): Promise<number> {
    if (this.#use()) {
      // asks for the next batch before this one is used up
      if (this.#left < this.#batch / 2 && this.#batch > 1 && this.#now() >= this.#emptyUntil) this.#take().catch(() => undefined);
      return 0;
    }
    return this.#now() < this.#emptyUntil && this.#taking === null ? this.#wait : this.#admitLater();
  }

  async #admitLater(): Promise<number> {
    this.#waiting++;
    try {
      await this.#take();
    } finally {
      this.#waiting--;
    }
    return this.#use() ? 0 : this.#wait;
  }

  get #wait(): number {
    return Math.max(1, Math.ceil(1 / this.perSecond));
  }

  #use(): boolean {
    if (this.#left < 1 || this.#now() > this.#until) return false;
    this.#left--;
    return true;
  }

  /** Concurrent callers share one request. */
  #take(): Promise<void> {
    this.#taking ??= this.#request().finally(() => {
      this.#taking = null;
    });
    return this.#taking;
  }

  async #request(): Promise<void> {
    const wanted = Math.max(this.#batch, this.#waiting);
    const granted = await this.#limits.takeCalls(this.#name, this.perSecond, wanted);
    const at = this.#now();
    if (at > this.#until) this.#left = 0;
    this.#left += granted;
    this.#until = at + LEASE_MS;
    if (granted < wanted) this.#emptyUntil = at + Math.max(ASK_AGAIN_MS, Math.min(100, 1000 / this.perSecond / 4));
  }
}

class Slots {
  most = 0;
  held = 0;
  used = 0;
  readonly #limits: LimitRepository;
  readonly #name: string;
  readonly #process: string;
  readonly #now: () => number;
  #fullUntil = 0;
  #peak = 0; // of the slots in use since the last return
  #asking: Promise<void> | null = null;
  #waiting = 0;

  constructor(limits: LimitRepository, name: string, process: string, now: () => number) {
    this.#limits = limits;
    this.#name = name;
    this.#process = process;
    this.#now = now;
  }

  async acquire(): Promise<Lease | null> {
    if (this.used < Math.min(this.held, this.most)) return this.#occupy();
    if (this.used >= this.most || (this.#now() < this.#fullUntil && this.#asking === null)) return null;
    return this.#acquireLater();
  }

  async #acquireLater(): Promise<Lease | null> {
    this.#waiting++;
    try {
      // an earlier request may have been for fewer
      while (this.#asking !== null) await this.#asking.catch(() => undefined);
      if (this.used < Math.min(this.held, this.most)) return this.#occupy();
      await this.#ask(this.used + this.#waiting + Math.floor(this.most / 8));
    } finally {
      this.#waiting--;
    }
    return this.used < this.held ? this.#occupy() : null;
  }

  #occupy(): Lease {
    this.used++;
    this.#peak = Math.max(this.#peak, this.used);
    return createLease(() => {
      this.used--;
    });
  }

  /** Keeps what was in use since the last time. */
  async returnIdle(): Promise<void> {
    const wanted = Math.max(this.#peak, this.used);
    this.#peak = this.used;
    if (wanted < this.held && this.#asking === null) await this.#ask(wanted);
  }

  #ask(wanted: number): Promise<void> {
    this.#asking ??= this.#request(Math.min(this.most, wanted)).finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #request(wanted: number): Promise<void> {
    const before = this.held;
    // slots that are given back must not be occupied meanwhile
    this.held = Math.min(this.held, wanted);
    const granted = await this.#limits
      .holdSlots(this.#name, this.#process, this.most, Math.max(wanted, this.used))
      .catch((error) => {
        this.held = before;
        throw error;
      });
    this.held = granted;
    if (granted < wanted) this.#fullUntil = this.#now() + ASK_AGAIN_MS;
  }
}
