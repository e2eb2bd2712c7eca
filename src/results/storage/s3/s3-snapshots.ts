import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { parseWhole } from '../../files/file-access.ts';
import {
  abandonedMark,
  hasEnded,
  isManifest,
  isSharedMark,
  isSnapshotId,
  type LastUse,
  type Manifest,
  offsetBytes,
  type Progress,
  type SharedMark,
  type SnapshotStorage,
  type StoredRows,
  type WantedRows,
} from '../snapshot-storage.ts';
import type { Bucket } from './bucket.ts';
import { type SegmentedBytes, SegmentReader } from './segments.ts';
import { keysOf, offsetsSegment, rowKeys, rowsSegment, type SnapshotState, SnapshotUpload } from './snapshot-upload.ts';

/**
 * A snapshot as objects: `rows/<number>` and `offsets/<number>` (segments), `state.json` (how much of them is stored, the process that
 * fills it and how it ended; its age is the heartbeat), `manifest.json`, `user/<id>` (whose space it takes), `used` (its time is the last
 * use), `wanted.json`. Only `state.json` says how much can be read, so an incomplete upload and a delayed listing do no harm.
 */
export function createS3Snapshots({ bucket, now }: { readonly bucket: Bucket; readonly now: () => number }): SnapshotStorage {
  const uploads = new Map<string, SnapshotUpload>(); // of this process
  const reader = new SegmentReader(bucket);
  const known = new LRUCache<string, Known>({ max: mostKnown });
  const wanted = new Map<string, { readonly at: number; readonly rows: WantedRows | null }>();

  /** The cached state of a snapshot, or the state read by three parallel requests. */
  async function load(id: string): Promise<Known | null> {
    const found = known.get(id);
    if (found && now() - found.readAt < knownMs) return found;
    const keys = keysOf(id);
    const [manifest, state, usedAt] = await Promise.all([
      readPatiently(() => readJson<Manifest>(bucket, keys.manifest), isManifest), // that of a pending result is replaced
      readState(id),
      bucket.readModifiedAt(keys.used),
    ]);
    const ended = known.get(id)?.state?.end ? known.get(id)?.state : null; // another reader may have read it since
    known.delete(id);
    if (!isManifest(manifest)) return null;
    const used = { at: usedAt ?? manifest.createdAt, isFollowed: usedAt !== null };
    const entry: Known = { manifest, state: ended ?? state, used, readAt: now() };
    if (!manifest.isPending) known.set(id, entry);
    return entry;
  }

  async function readState(id: string): Promise<KnownState | null> {
    const read = () =>
      readPatiently(
        async () => {
          const found = await bucket.get(keysOf(id).state);
          const state = found && parseWhole<SnapshotState>(found.body.toString());
          return state && { ...state, isAlive: found.ageMs <= deadAfterMs };
        },
        (state) => state !== null,
      );
    const state = await read();
    if (!state || state.end || !hasEnded(state.owner)) return state;
    const last = await read(); // it may have ended properly since
    return last && { ...last, isAlive: false };
  }

  /** An end mark is final; until then the state is read again. */
  async function readCurrentState(id: string): Promise<KnownState | null> {
    const before = known.get(id)?.state;
    if (before?.end) return before;
    const state = await readState(id);
    const entry = known.get(id); // another reader may have replaced it
    if (entry && !entry.state?.end) entry.state = state;
    return state;
  }

  function openStoredRows(
    id: string,
    { rows, bytes }: Pick<SnapshotState, 'rows' | 'bytes'>,
    upload?: SnapshotUpload,
  ): StoredRows {
    const keys = keysOf(id);
    const of: SegmentedBytes = {
      segmentBytes: rowsSegment,
      aheadBytes: rowsAhead,
      isReadWhole: false,
      name: keys.rows,
      length: bytes,
      memory: upload?.rows,
    };
    const offsetsOf: SegmentedBytes = {
      segmentBytes: offsetsSegment,
      aheadBytes: offsetsAhead,
      isReadWhole: true,
      name: keys.offsets,
      length: rows * offsetBytes,
      memory: upload?.offsets,
    };
    const read = async (from: SegmentedBytes, start: number, end: number) => {
      const isWhole = ({ length }: Buffer) => length === end - start;
      const found = await readPatiently(() => reader.read(from, start, end), isWhole);
      if (!isWhole(found)) known.delete(id); // it was removed
      return found;
    };
    return {
      rowCount: rows,
      byteCount: bytes,
      offsets: (from, until) => read(offsetsOf, from * offsetBytes, until * offsetBytes),
      rows: (start, end) => read(of, start, end),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }

  async function readSharedMark(key: string): Promise<SharedMark | null> {
    const mark = await readJson<SharedMark>(bucket, `shared/${key}`);
    return isSharedMark(mark) ? mark : null;
  }

  return {
    async create(id, userId) {
      const onEnd = () => void uploads.delete(id);
      const upload = new SnapshotUpload({ bucket, id, userId, now, onEnd });
      uploads.set(id, upload);
      try {
        await upload.create();
        return upload;
      } catch (error) {
        await upload.discard();
        throw error;
      }
    },
    manifest: async (id) => (await load(id))?.manifest ?? null,
    async progress(id, isFilledHere): Promise<Progress> {
      if (uploads.has(id)) return 'running';
      const state = await readCurrentState(id);
      return state?.end ?? (isFilledHere || state?.isAlive === true ? 'running' : 'dead');
    },
    async open(id) {
      const upload = uploads.get(id);
      if (upload) return openStoredRows(id, upload.size, upload);
      const state = known.get(id)?.state ?? (await readState(id));
      return state ? openStoredRows(id, state) : null;
    },
    async readLastUse(manifest): Promise<LastUse> {
      return (await load(manifest.id))?.used ?? { at: manifest.createdAt, isFollowed: false };
    },
    async markUsed({ id }, at) {
      const entry = known.get(id);
      if (entry) entry.used = { at, isFollowed: true };
      bucket.put(keysOf(id).used, 'used').catch(() => undefined); // not awaited; the next page tries again
    },
    writeWanted: (id, rows) =>
      bucket.put(keysOf(id).wanted, JSON.stringify({ ...rows, mark: randomBytes(8).toString('hex') } satisfies WantedRows)),
    async readWanted(id) {
      const last = wanted.get(id);
      if (last && now() - last.at < wantedEveryMs) return last.rows;
      if (!uploads.has(id)) wanted.delete(id);
      const rows = await readJson<WantedRows>(bucket, keysOf(id).wanted);
      if (uploads.has(id)) wanted.set(id, { at: now(), rows });
      return rows;
    },
    async list() {
      const found = new Map<string, { userId: string; usedAt: number; bytes: number }>();
      for (const { key, bytes, modifiedAt } of await bucket.list('snapshots/')) {
        const [, id = '', name = '', user] = key.split('/');
        if (!isSnapshotId(id)) continue;
        const snapshot = found.get(id) ?? { userId: '', usedAt: 0, bytes: 0 };
        found.set(id, snapshot);
        if (name === 'user') snapshot.userId = decodeURIComponent(user ?? '');
        if (name === 'rows' || name === 'offsets') snapshot.bytes += bytes;
        if (name !== 'state.json' && name !== 'wanted.json') snapshot.usedAt = Math.max(snapshot.usedAt, modifiedAt);
      }
      return [...found].map(([id, snapshot]) => ({ id, ...snapshot, usedAt: snapshot.usedAt || now() }));
    },
    async remove(id) {
      const state = await readState(id);
      known.delete(id);
      await bucket.remove([keysOf(id).manifest]);
      const listed = (await bucket.list(`snapshots/${id}/`)).map(({ key }) => key);
      await bucket.remove([...new Set([...(state ? rowKeys(id, state) : []), ...listed])]);
    },
    async removeRows(id) {
      const state = await readState(id);
      known.delete(id);
      if (!state) return;
      const { isAlive: _, ...kept } = state;
      await bucket.put(keysOf(id).state, JSON.stringify({ ...kept, end: abandonedMark } satisfies SnapshotState));
      await bucket.remove(rowKeys(id, state));
    },
    readSharedMark,
    writeSharedMark: (key, mark) => bucket.put(`shared/${key}`, JSON.stringify(mark)),
    async removeLeftovers() {
      for (const { key, modifiedAt } of await bucket.list('shared/')) {
        if (now() - modifiedAt < sharedMs) continue;
        const mark = await readSharedMark(key.slice('shared/'.length));
        if (mark === null || (await load(mark.id)) === null) await bucket.remove([key]);
      }
    },
  };
}

interface KnownState extends SnapshotState {
  readonly isAlive: boolean; // when it was read
}

interface Known {
  readonly manifest: Manifest;
  readonly readAt: number;
  state: KnownState | null;
  used: LastUse;
}

/** While an object is replaced, some S3-compatible servers return nothing or a part of it. */
async function readPatiently<T>(read: () => Promise<T>, isWhole: (found: T) => boolean): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const found = await read();
    if (isWhole(found) || attempt === attempts) return found;
    await delay(attempt * 20);
  }
}

const readJson = async <T>(bucket: Bucket, key: string): Promise<T | null> =>
  parseWhole<T>((await bucket.get(key))?.body.toString() ?? null);

const attempts = 4;
const deadAfterMs = 15_000; // several heartbeats; times of objects are whole seconds
const knownMs = 30_000; // a removal by another process is noticed after this time, or earlier by missing rows
const mostKnown = 1_000;
const wantedEveryMs = 500;
const sharedMs = 60 * 60_000; // longer than results are shared
const rowsAhead = 2 << 20;
const offsetsAhead = 1 << 18;
