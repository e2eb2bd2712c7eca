import { setTimeout as delay } from 'node:timers/promises';
import {
  abandonedMark,
  type DrainOwner,
  type EndMark,
  type Manifest,
  offsetBytes,
  type SnapshotWriter,
  thisProcess,
} from '../snapshot-storage.ts';
import type { Bucket } from './bucket.ts';
import { GrowingSegments, segmentKeys } from './segments.ts';

/** The state of a snapshot for readers; replaced when rows were stored, and as the heartbeat. */
export interface SnapshotState {
  readonly owner: DrainOwner;
  readonly rows: number;
  readonly bytes: number;
  readonly end: EndMark | null;
}

export const rowsSegment = 4 << 20;
export const offsetsSegment = 1 << 20; // 131,072 rows
export const keysOf = (id: string) => ({
  manifest: `snapshots/${id}/manifest.json`,
  state: `snapshots/${id}/state.json`,
  used: `snapshots/${id}/used`,
  wanted: `snapshots/${id}/wanted.json`,
  rows: `snapshots/${id}/rows`,
  offsets: `snapshots/${id}/offsets`,
  /** Identifies the user in a listing. */
  user: (userId: string) => `snapshots/${id}/user/${encodeURIComponent(userId)}`,
});

export const rowKeys = (id: string, { rows, bytes }: Pick<SnapshotState, 'rows' | 'bytes'>): readonly string[] => [
  ...segmentKeys(keysOf(id).rows, bytes, rowsSegment),
  ...segmentKeys(keysOf(id).offsets, rows * offsetBytes, offsetsSegment),
];

export interface UploadOptions {
  readonly bucket: Bucket;
  readonly id: string;
  readonly userId: string;
  readonly now: () => number;
  readonly onEnd: () => void;
}

/** Uploads segments while rows arrive. Rows that are not uploaded yet are read from its memory by readers of this process. */
export class SnapshotUpload implements SnapshotWriter {
  readonly id: string;
  readonly rows: GrowingSegments;
  readonly offsets: GrowingSegments;
  storedRows = 0;
  readonly #options: UploadOptions;
  readonly #heart: NodeJS.Timeout;
  #end: EndMark | null = null;
  #publishing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #publishedAt = 0;
  #failed: unknown;

  constructor(options: UploadOptions) {
    this.#options = options;
    this.id = options.id;
    this.rows = new GrowingSegments(keysOf(options.id).rows, rowsSegment);
    this.offsets = new GrowingSegments(keysOf(options.id).offsets, offsetsSegment);
    this.#heart = setInterval(() => void this.#publish(), beatEveryMs).unref();
  }

  /** Everything that was appended, stored or not. */
  get size(): Pick<SnapshotState, 'rows' | 'bytes'> {
    return { rows: this.offsets.length / offsetBytes, bytes: this.rows.length };
  }

  async create(): Promise<void> {
    const { bucket, id, userId } = this.#options;
    await Promise.all([bucket.put(keysOf(id).user(userId), 'user'), this.#putState()]);
  }

  writeManifest(manifest: Manifest): Promise<void> {
    return this.#options.bucket.put(keysOf(this.id).manifest, JSON.stringify(manifest));
  }

  async append(rows: Buffer, offsets: Buffer): Promise<void> {
    if (this.#failed) throw this.#failed;
    this.rows.append(rows);
    this.offsets.append(offsets);
    this.#schedule();
    while (this.rows.waitingBytes > mostWaitingBytes) {
      await this.#publish();
      if (this.#failed) throw this.#failed;
    }
  }

  async settle(): Promise<void> {
    while (this.offsets.waitingBytes > 0 && !this.#failed) await this.#publish();
    if (this.#failed) throw this.#failed;
  }

  async end(mark: EndMark): Promise<void> {
    await this.#stop();
    this.#end = mark;
    await this.#retry(() => this.#putState()).catch(() => undefined);
    this.#options.onEnd();
  }

  async abandon(): Promise<void> {
    await this.end(abandonedMark);
    await this.#options.bucket.remove(rowKeys(this.id, this.size)).catch(() => undefined); // the sweeper removes leftovers
  }

  async discard(): Promise<void> {
    await this.#stop();
    const { manifest, state, user } = keysOf(this.id);
    const { bucket, userId, onEnd } = this.#options;
    await bucket.remove([manifest]).catch(() => undefined);
    await bucket.remove([...rowKeys(this.id, this.size), state, user(userId)]).catch(() => undefined);
    onEnd();
  }

  async #stop(): Promise<void> {
    clearInterval(this.#heart);
    clearTimeout(this.#timer);
    this.#failed ??= new Error('the upload has ended');
    await this.#publishing;
  }

  /** Uploads full segments immediately, and the last one less often the larger it is, because each upload repeats it as a whole. */
  #schedule(): void {
    if (this.#timer !== undefined || this.#publishing) return;
    const isFull = this.rows.waitingBytes > this.rows.lastBytes;
    const pauseMs = publishEveryMs * (1 + this.rows.lastBytes / 2 ** 20);
    const due = isFull ? 0 : Math.max(0, this.#publishedAt + pauseMs - this.#options.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#publish();
    }, due).unref();
  }

  /** Uploads one part at a time; never rejects. */
  #publish(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#publishing ??= this.#upload()
      .catch((error: unknown) => {
        this.#failed ??= error;
      })
      .finally(() => {
        this.#publishing = null;
        if (this.rows.waitingBytes > 0 && !this.#failed) this.#schedule();
      });
    return this.#publishing;
  }

  async #upload(): Promise<void> {
    if (this.#failed) return;
    const { size } = this;
    const objects = [...this.rows.listUnstored(), ...this.offsets.listUnstored()];
    const { bucket } = this.#options;
    await this.#retry(() => Promise.all(objects.map(({ key, body }) => bucket.put(key, body))));
    await this.#retry(() => this.#putState(size));
    this.rows.markStored(size.bytes);
    this.offsets.markStored(size.rows * offsetBytes);
    this.storedRows = size.rows;
    this.#publishedAt = this.#options.now();
  }

  #putState({ rows, bytes } = { rows: this.storedRows, bytes: this.rows.storedLength }): Promise<void> {
    const state: SnapshotState = { owner: thisProcess(), rows, bytes, end: this.#end };
    return this.#options.bucket.put(keysOf(this.id).state, JSON.stringify(state));
  }

  /** A short failure of the store does not end the drain. */
  async #retry(work: () => Promise<unknown>): Promise<void> {
    const { now } = this.#options;
    const until = now() + outageMs;
    for (;;) {
      try {
        await work();
        return;
      } catch (error) {
        if (now() >= until) throw error;
        await delay(repeatAfterMs, undefined, { ref: false });
      }
    }
  }
}

const beatEveryMs = 4_000;
const publishEveryMs = 250;
const mostWaitingBytes = 3 * rowsSegment;
const outageMs = 8_000;
const repeatAfterMs = 500;
