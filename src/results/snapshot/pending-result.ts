import { accountOf } from '../../core/account-of.ts';
import type { Failure } from '../../core/errors.ts';
import { createSnapshotId, type SnapshotOwner, type SnapshotStorage, type SnapshotWriter } from '../storage/snapshot-storage.ts';
import { SnapshotStoppedError, stoppedReason } from './stop.ts';

/** A result without rows was not requested in time. */
class UnaskedError extends Error {
  override readonly name = 'UnaskedError';
  constructor() {
    super('the result was no longer requested');
  }
}

export interface PendingOptions {
  readonly storage: SnapshotStorage;
  readonly now: () => number;
  readonly owner: SnapshotOwner;
  /** The maximum time between two requests for it. */
  readonly unaskedMs: number;
  /** Ends the execution. */
  readonly stop: (error: Error) => void;
  /** Called when it is announced; returns a function for its end. */
  readonly begin: (pending: PendingResult) => () => void;
}

/**
 * A result without a first page. Once it is announced, readers in all processes can wait for it by its id, and it ends if none does for
 * a while. It is announced or its first page is returned to the call that runs it, whichever comes first.
 */
export class PendingResult {
  readonly id = createSnapshotId();
  readonly #options: PendingOptions;
  #writer: Promise<SnapshotWriter> | null = null;
  #announcing: Promise<boolean> | null = null;
  #settled = false;
  #ended = false;
  #stopped: Error | null = null;
  #watch: NodeJS.Timeout | undefined;
  #finish: (() => void) | undefined;

  constructor(options: PendingOptions) {
    this.#options = options;
  }

  get isAnnounced(): boolean {
    return this.#announcing !== null;
  }

  /** Its snapshot, created on demand. */
  open(): Promise<SnapshotWriter> {
    const { storage, owner } = this.#options;
    return (this.#writer ??= storage.create(this.id, accountOf(owner.userId)).catch((error: unknown) => {
      this.#writer = null;
      throw error;
    }));
  }

  /** False if its first page is available already, so that callers need not wait. Rejects if the storage fails. */
  async announce(): Promise<boolean> {
    if (this.#settled && this.#announcing === null) return false;
    return (this.#announcing ??= this.#publish().catch((error: unknown) => {
      this.#announcing = null;
      throw error;
    }));
  }

  /** The first page is available: from now on the result cannot be announced. Returns whether it was announced before. */
  async settle(): Promise<boolean> {
    this.#settled = true;
    return this.#announcing?.catch(() => false) ?? false;
  }

  stop(error: Error): void {
    clearInterval(this.#watch);
    this.#stopped ??= error;
    this.#options.stop(error);
  }

  /** The execution has a first page, or failed without one. Its readers see the failure without its cause, which may quote values. */
  async end(failure: Failure | null): Promise<void> {
    this.#ended = true;
    clearInterval(this.#watch);
    if (this.isAnnounced && failure !== null) await this.#fail(failure).catch(() => undefined);
    this.#finish?.();
  }

  async #fail(failure: Failure): Promise<void> {
    const writer = await this.open();
    if (this.#stopped instanceof UnaskedError) return writer.abandon();
    const isShutdown = this.#stopped instanceof SnapshotStoppedError;
    const stored: Failure = isShutdown ? { kind: 'QueryCancelled', cause: undefined, by: 'shutdown' } : failure;
    const mark = { state: 'failed' as const, rows: 0, reason: stoppedReason };
    await writer.end({ ...mark, failure: 'cause' in stored ? { ...stored, cause: undefined } : stored });
  }

  async #publish(): Promise<boolean> {
    const { owner, now, begin } = this.#options;
    this.#finish = begin(this);
    const writer = await this.open();
    await writer.writeManifest({ format: 1, id: this.id, ...owner, columns: [], createdAt: now(), isPending: true });
    if (!this.#ended) this.#watchReaders();
    return true;
  }

  #watchReaders(): void {
    const { storage, now, unaskedMs } = this.#options;
    let requestedAt = now();
    let mark: string | undefined;
    const look = async (): Promise<void> => {
      const wanted = await storage.readWanted(this.id).catch(() => null);
      if (wanted !== null && wanted.mark !== mark) {
        mark = wanted.mark;
        requestedAt = now();
      } else if (!this.#ended && now() - requestedAt > unaskedMs) this.stop(new UnaskedError());
    };
    this.#watch = setInterval(() => void look(), unaskedMs / ASKS).unref();
  }
}

/** The number of requests of a waiting reader within `unaskedMs`. */
export const ASKS = 12;
