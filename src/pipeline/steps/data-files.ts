import { createHash, type Hash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { failed, type Failure, FailureError, type Result, succeeded } from '../../core/errors.ts';
import type { ExportAbout, ExportFiles, ExportWriter } from '../../results/files/export-files.ts';
import { SnapshotStorageError } from '../../results/snapshot/stop.ts';
import type { DataFile, DataFileRepository, NamedDataFile } from '../../store/metadata-store.ts';

/** The rows of a query as bytes; `rows` is the number of those read so far. */
export interface DataSource {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly rows: () => number;
  readonly about: ExportAbout;
  close(): Promise<void>;
}

export interface DataRequest {
  readonly name: string; // equal for the same rows, user and format
  readonly userId: string;
  readonly isForOthers: boolean; // the reader is not the user
  readonly arrivedAt: number;
  readonly cacheMs: number; // how long a file counts as current
  readonly isPart: boolean; // a HEAD or a range, which uses the file of the previous one
  readonly isHead: boolean;
  readonly removed: ReadonlySet<string>; // ids of files that turned out to be gone
  /** Runs the query; the signal aborts when its last reader has disconnected. */
  readonly run: (signal: AbortSignal) => Promise<Result<DataSource>>;
  readonly failureOf: (error: unknown) => Failure;
  readonly onEnd: (work: () => void) => void; // of the response
}

/** A file that is complete. */
export interface StoredData {
  readonly file: DataFile;
  readonly isShared: boolean; // written for another call
  read(start: number, end: number): Promise<AsyncIterable<Uint8Array> | null>;
}

/** A file that is being written. */
export interface LiveData {
  readonly etag: string;
  readonly startedAt: number;
  readonly isShared: boolean;
  readonly rows: () => number;
  readonly bytes: () => AsyncIterable<Uint8Array>;
  readonly stored: Promise<Result<StoredData>>;
}

export type DataFiles = ReturnType<typeof createDataFiles>;

export interface DataFilesParts {
  readonly files: ExportFiles;
  readonly store: DataFileRepository;
  readonly now: () => number;
}

const PART_MS = 60_000; // a file is kept this long after a HEAD or a range
const NOTE_EVERY_MS = 5_000; // how often a HEAD or a range is stored
const SWEEP_MARGIN_MS = 120_000; // more than the time between two sweeps
const MAX_HEAD_MS = 600_000; // after this time a polling reader gets new rows
const CLAIM_MS = 15_000;
const RENEW_MS = 5_000;
const POLL_MS = 100;
const READ_BYTES = 256 << 10;
const MAX_ETAGS = 100; // of executions with the same content

/**
 * Whole results as files: written once, and read by every call of the same rows at that time, over all processes that share store and
 * storage. One process claims the name in the store and runs the query; calls in the same process read the file while it grows, the others
 * wait until it is complete. If the process stops, its claim expires, and one of the others runs the query.
 */
export function createDataFiles({ files, store, now }: DataFilesParts) {
  const flights = new Map<string, Flight>();
  const noted = new Map<string, { readonly id: string; readonly at: number }>();

  function selectFile({ latest, ranged }: NamedDataFile, request: DataRequest): DataFile | null {
    const { cacheMs, arrivedAt, isPart, isHead, removed } = request;
    const isKept = ranged !== null && now() < ranged.at + PART_MS + NOTE_EVERY_MS && !removed.has(ranged.file.id);
    if (isPart && isKept && !(isHead && now() > ranged.file.startedAt + MAX_HEAD_MS)) return ranged.file;
    if (latest === null || removed.has(latest.id)) return null;
    // calls that overlap with the execution share it, however short it was
    return now() < latest.startedAt + cacheMs || arrivedAt < latest.completedAt ? latest : null;
  }

  /** Ranges that follow read the same file, also after a newer one was written. False if it was removed meanwhile. */
  async function notePart(name: string, file: DataFile): Promise<boolean> {
    const before = noted.get(name);
    if (before?.id === file.id && now() < before.at + NOTE_EVERY_MS) return true; // it stays at least until then
    for (const [each, { at }] of noted) if (now() > at + NOTE_EVERY_MS) noted.delete(each);
    noted.set(name, { id: file.id, at: now() });
    const until = now() + PART_MS + SWEEP_MARGIN_MS;
    await store.keepRanged(name, file, { at: now(), until });
    return files.keep(file.id, until);
  }

  function begin(request: DataRequest, before: DataFile | null): Flight {
    const { name } = request;
    const flight = createFlight();
    flights.set(name, flight);
    const end = (): void => {
      if (flights.get(name) === flight) flights.delete(name);
    };
    flight.onLeft(end);
    void write(request, flight, before)
      .catch((error: unknown) => failed(request.failureOf(error)))
      .then((result) => {
        end();
        flight.settle(result);
      });
    return flight;
  }

  /** `before`: the latest file when the call looked for one. Any other was written after the call arrived, so the call gets it. */
  async function write(request: DataRequest, flight: Flight, before: DataFile | null): Promise<Result<DataFile>> {
    const { name, userId, isForOthers, cacheMs } = request;
    const holder = randomUUID();
    const claim = () => store.claim(name, holder, { at: now(), until: now() + CLAIM_MS });
    for (;;) {
      const isMine = await claim();
      const { latest } = await store.get(name);
      if (latest !== null && latest.id !== before?.id && (await isReadable(latest))) {
        if (isMine) await store.release(name, holder);
        return succeeded(latest);
      }
      if (isMine) break;
      await sleep(POLL_MS, undefined, { signal: flight.signal }).catch(() => undefined);
      if (flight.signal.aborted) return failed({ kind: 'QueryCancelled', cause: flight.signal.reason });
    }
    const renewing = setInterval(() => void claim().catch(() => undefined), RENEW_MS); // another process may take it over
    try {
      const startedAt = now();
      const source = await request.run(flight.signal);
      if (!source.ok) return source;
      const digest = createHash('sha256');
      try {
        const lifetimeMs = Math.max(cacheMs, PART_MS) + SWEEP_MARGIN_MS;
        const watch = {
          lifetimeMs,
          onOpen: (id: string, content: FileContent) =>
            flight.open({ etag: etagOf(id), startedAt, rows: source.value.rows, content }),
          onGrown: flight.grow,
        };
        const bytes = digestOf(source.value.bytes, digest);
        const written = await files.write(userId, bytes, () => source.value.about, { watch, isForOthers });
        const { latest: previous } = await store.get(name);
        const content = digest.digest('base64url');
        const file: DataFile = {
          id: written.id,
          size: written.size,
          rowCount: source.value.rows(),
          queryVersion: source.value.about.queryVersion,
          digest: content,
          etags: previous?.digest === content ? addTag(previous.etags, etagOf(written.id)) : [etagOf(written.id)],
          startedAt,
          completedAt: now(),
        };
        await store.keepLatest(name, file, now() + lifetimeMs);
        const { ranged } = await store.get(name); // read after the new file is stored: a HEAD or a range may have arrived in the meantime
        const isRanged = ranged?.file.id === previous?.id && now() < (ranged?.at ?? 0) + PART_MS + NOTE_EVERY_MS;
        if (previous !== null && !isRanged) await files.remove(previous.id).catch(() => undefined); // it expires anyway
        return succeeded(file);
      } finally {
        await source.value.close();
      }
    } finally {
      clearInterval(renewing);
      await store.release(name, holder).catch(() => undefined); // the claim expires
    }
  }

  const isReadable = async (file: DataFile): Promise<boolean> => (await files.find(file.id)) !== null;

  const storedOf = (file: DataFile, isShared: boolean): StoredData => ({
    file,
    isShared,
    read: (start, end) => files.read(file, start, end),
  });

  /** The file for the call; if it has to be written first, the file that is being written. */
  async function open(request: DataRequest): Promise<Result<StoredData | LiveData>> {
    const named = await store.get(request.name);
    const found = selectFile(named, request);
    if (found !== null && (await isReadable(found))) return succeeded(storedOf(found, true));
    if (!flights.has(request.name)) {
      // before the query runs, and before readers who may take more space share its execution
      const lacking = await files.expectSpace(request.userId, request.isForOthers).catch((error: unknown) => ({ error }));
      if (lacking !== undefined) return failed(request.failureOf(lacking.error));
    }
    const isShared = flights.has(request.name);
    const flight = flights.get(request.name) ?? begin(request, named.latest);
    request.onEnd(flight.join());
    const stored = flight.result.then((result) => (result.ok ? succeeded(storedOf(result.value, isShared)) : result));
    const opened = await flight.opened;
    if (opened !== null) return succeeded({ ...opened, isShared, bytes: flight.follow, stored });
    const ended = await stored;
    if (ended.ok) return succeeded({ ...ended.value, isShared: true }); // written meanwhile, for another call
    // the limit that was reached is that of another key
    return isShared && ended.failure.kind === 'KeyBusy' ? open(request) : ended;
  }

  return { open, notePart };
}

type FileContent = Pick<ExportWriter, 'read' | 'close'>;

interface OpenedFlight {
  readonly etag: string;
  readonly startedAt: number;
  readonly rows: () => number;
  readonly content: FileContent;
}

type Flight = ReturnType<typeof createFlight>;

/** A file that is being written, and the calls that read it. When the last one disconnects, the execution is cancelled. */
function createFlight() {
  const left = new AbortController();
  const { promise: opened, resolve: open } = Promise.withResolvers<OpenedFlight | null>();
  const { promise: result, resolve } = Promise.withResolvers<Result<DataFile>>();
  let onLeft = (): void => undefined;
  let readers = 0;
  let size = 0;
  let ended: Result<DataFile> | null = null;
  let content: FileContent | null = null;
  let changed = Promise.withResolvers<void>();
  const change = (): void => {
    changed.resolve();
    changed = Promise.withResolvers();
  };
  /** A failed execution closes its file: then its failure counts, not that of reading. */
  const explain = async (error: unknown): Promise<never> => {
    const settled = await result;
    if (!settled.ok) throw new FailureError(settled.failure);
    throw error instanceof SnapshotStorageError ? error : new SnapshotStorageError(error);
  };
  const closeUnread = (): void => {
    if (readers === 0 && ended !== null) void content?.close();
  };
  return {
    signal: left.signal,
    opened,
    result,
    onLeft: (work: () => void): void => void (onLeft = work),
    open(file: OpenedFlight): void {
      content = file.content;
      open(file);
    },
    grow(bytes: number): void {
      size = bytes;
      change();
    },
    settle(settled: Result<DataFile>): void {
      ended = settled;
      open(null);
      resolve(settled);
      change();
      closeUnread();
    },
    /** Adds a reader; the returned function removes it. */
    join(): () => void {
      readers++;
      let isReading = true;
      return () => {
        if (!isReading) return;
        isReading = false;
        if (--readers > 0) return;
        onLeft();
        if (ended === null) left.abort(new Error('the last reader left'));
        closeUnread();
      };
    },
    async *follow(): AsyncGenerator<Uint8Array> {
      for (let at = 0; ;) {
        if (ended?.ok === false) throw new FailureError(ended.failure);
        if (at < size) {
          const part = await content?.read(at, Math.min(size, at + READ_BYTES)).catch(explain);
          at += part?.length ?? 0;
          if (part !== undefined) yield part;
        } else if (ended !== null) return;
        else await changed.promise;
      }
    },
  };
}

/** Derived from the id, because readers need it before the content is complete. The first 16 characters of an id identify its user. */
const etagOf = (id: string): string => id.slice(16);

const addTag = ([first = '', ...others]: readonly string[], tag: string): readonly string[] => [
  first,
  ...others.slice(2 - MAX_ETAGS),
  tag,
];

async function* digestOf(bytes: AsyncIterable<Uint8Array>, digest: Hash): AsyncIterable<Uint8Array> {
  for await (const chunk of bytes) {
    digest.update(chunk);
    yield chunk;
  }
}
