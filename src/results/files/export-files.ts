import { createHash, randomBytes } from 'node:crypto';
import { accountOf } from '../../core/account-of.ts';
import { FailureError } from '../../core/errors.ts';
import { fileBound, rethrowStorageErrors, SpaceExhaustedError } from '../snapshot/stop.ts';

export type ExportFiles = ReturnType<typeof createExportFiles>;

export interface WriteOptions {
  readonly watch?: WriteWatch;
  readonly name?: string | undefined; // see exportIdOf
  readonly isForOthers?: boolean; // it may take only a share of the space of its user
}

/** Lets others read a file while it is written, and afterwards until they close it. */
export interface WriteWatch {
  readonly lifetimeMs: number;
  onOpen(id: string, content: Pick<ExportWriter, 'read' | 'close'>): void;
  onGrown(size: number): void;
}

/** Where exports are kept. A file is complete when its description is stored. */
export interface ExportStorage {
  /** Content that arrives in pieces. `isRead`: while it is written. */
  create(id: string, isRead: boolean): Promise<ExportWriter>;
  describe(file: ExportFile): Promise<void>;
  find(id: string): Promise<ExportFile | null>;
  /** The bytes from `start` up to but excluding `end`; null if the content is missing or does not have the size of the file. */
  read(file: Pick<ExportFile, 'id' | 'size'>, start: number, end: number): Promise<AsyncIterable<Uint8Array> | null>;
  /** Returns an address from which anyone can download the file for a minute; null if the storage has none. */
  readonly link: ((file: ExportFile) => Promise<string>) | null;
  list(): Promise<readonly ListedExport[]>;
  remove(id: string): Promise<void>;
}

export interface ExportWriter {
  append(bytes: Uint8Array): Promise<void>;
  /** Some of the bytes from `start` up to but excluding `end`, which were appended before, if the writer was created to be read. */
  read(start: number, end: number): Promise<Uint8Array>;
  complete(): Promise<void>;
  /** Ends reading; never rejects. */
  close(): Promise<void>;
  /** Closes the writer and removes the file after a failure; never rejects. */
  abort(): Promise<void>;
}

export interface ListedExport {
  readonly id: string;
  readonly bytes: number;
  readonly changedAt: number;
  readonly isComplete: boolean;
}

/** Enough to check the rights of a viewer again. */
export interface ExportViewer {
  readonly sub: string;
  readonly queries: readonly string[] | null;
  readonly expiresAt: number; // of the token
}

export interface ExportAbout {
  readonly userId: string;
  readonly keyId: string | null; // the API key of the call
  readonly viewer?: ExportViewer; // for whom an application called
  readonly forAssistant: boolean; // requested over the AI gateway
  readonly queryName: string;
  readonly queryVersion: number;
  readonly parameters: Readonly<Record<string, unknown>> | null; // as in the audit trail
  readonly format: string;
  readonly fileName: string;
  readonly mimeType: string;
  readonly rowCount: number;
}

export interface ExportFile extends ExportAbout {
  readonly id: string;
  readonly size: number;
  readonly expiresAt: number;
}

const LIFETIME_MS = 10 * 60_000; // of a file that is not watched

export interface ExportFilesOptions {
  readonly storage: ExportStorage;
  readonly now: () => number;
  readonly maxBytesEach: number;
  readonly maxBytesAll: number;
  readonly maxBytesUser: number;
}

/**
 * Finished exports until they are downloaded. Several processes may share the storage: an id begins with a digest of its user, so that a
 * listing shows the space of each user, even while several of them write.
 */
export function createExportFiles(options: ExportFilesOptions) {
  const { storage, now, maxBytesEach } = options;
  const space = createSpace(options);

  async function writeContent(bytes: AsyncIterable<Uint8Array>, id: string, { watch, isForOthers = false }: WriteOptions) {
    const writer = await rethrowStorageErrors(() => storage.create(id, watch !== undefined));
    const claim = space.hold(id);
    const close = async (): Promise<void> => {
      claim.release();
      await writer.close();
    };
    watch?.onOpen(id, { read: writer.read, close });
    let size = 0;
    try {
      for await (const chunk of bytes) {
        size += chunk.length;
        if (size > maxBytesEach) throw new FailureError({ kind: 'SnapshotIncomplete', reason: fileBound(maxBytesEach) });
        await claim.reach(size, isForOthers);
        await rethrowStorageErrors(() => writer.append(chunk));
        watch?.onGrown(size);
      }
      await rethrowStorageErrors(() => writer.complete());
      claim.shrink(size);
      if (watch === undefined) await close();
    } catch (error) {
      claim.release();
      await writer.abort();
      throw error;
    }
    return size;
  }

  return {
    /** Rejects if `bytes` rejects or the file cannot be written, and then leaves nothing. Calls `about` after the last byte. */
    async write(userId: string, bytes: AsyncIterable<Uint8Array>, about: () => ExportAbout, options: WriteOptions = {}) {
      const id = exportIdOf(userId, options.name);
      try {
        const size = await writeContent(bytes, id, options);
        const file: ExportFile = { ...about(), id, size, expiresAt: now() + (options.watch?.lifetimeMs ?? LIFETIME_MS) };
        await rethrowStorageErrors(() => storage.describe(file));
        return file;
      } catch (error) {
        await storage.remove(id).catch(() => undefined); // the sweeper removes leftovers
        throw error;
      }
    },
    /** Rejects if a file of this user has no space. */
    expectSpace: (userId: string, isForOthers: boolean) => space.expect(exportIdOf(userId), isForOthers),
    /** Keeps a file until this time, if it would be removed earlier. False if there is none. */
    async keep(id: string, until: number): Promise<boolean> {
      const file = await storage.find(id);
      if (file !== null && until > file.expiresAt) await storage.describe({ ...file, expiresAt: until });
      return file !== null;
    },
    remove: storage.remove,
    find: async (id: string) => (isExportId(id) ? storage.find(id) : null),
    /** Reads like the storage; the file takes space until its reader ends. */
    async read(file: Pick<ExportFile, 'id' | 'size'>, start: number, end: number) {
      const bytes = await storage.read(file, start, end);
      return bytes === null ? null : space.holdWhile(file, bytes);
    },
    link: storage.link,
    /** Removes expired files, and leftovers of killed processes. */
    async sweep(): Promise<void> {
      for (const { id, changedAt, isComplete } of await storage.list()) {
        const file = isComplete ? await storage.find(id) : null;
        const isLeft = file === null && (isComplete || now() - changedAt > LEFT_BEHIND_MS);
        if (isLeft || (file !== null && file.expiresAt <= now())) await storage.remove(id);
      }
    },
  };
}

/** `name`: 16 hex digits. Begins with the account, whose files share its space. */
export const exportIdOf = (userId: string, name = randomBytes(8).toString('hex')): string =>
  `${digestOf(accountOf(userId))}${name}`;
export const isExportId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

const SMALLEST_CLAIM = 64 << 10;
const LEFT_BEHIND_MS = 15 * 60_000; // longer than any query pauses between rows

const OTHERS_SHARE = 0.5; // of the space of a user
// each file costs time in every listing: 10,000 of them 0.2 to 0.4 seconds
const OTHERS_FILES = 1_000; // of a user
const USER_FILES = 4_000;
const ALL_FILES = 10_000;

interface Claim {
  readonly id: string;
  bytes: number;
  hasEnded: boolean;
}

/**
 * Space is claimed before it is written. Files that this process writes or reads count by their claim, because they take space even after
 * they were removed; others by their stored size.
 */
function createSpace({ storage, maxBytesAll, maxBytesUser }: ExportFilesOptions) {
  const step = Math.max(SMALLEST_CLAIM, Math.floor(Math.min(maxBytesAll, maxBytesUser) / 64));
  const claims = new Set<Claim>(); // one that ends during a listing, which may lack its file, counts until the next one
  let listing: Promise<readonly ListedExport[]> | null = null;

  async function list(): Promise<readonly ListedExport[]> {
    const ended = [...claims].filter(({ hasEnded }) => hasEnded);
    const listed = await storage.list();
    for (const claim of ended) claims.delete(claim);
    return listed;
  }

  /** Concurrent checks share a listing, which takes long with many files. */
  async function check(id: string, bytes: number, isForOthers: boolean): Promise<void> {
    listing ??= list().finally(() => (listing = null));
    const sizes = new Map([[id, bytes], ...(await listing).map((file): [string, number] => [file.id, file.bytes])]);
    for (const claim of claims) sizes.set(claim.id, Math.max(claim.bytes, sizes.get(claim.id) ?? 0));
    const ofUser = [...sizes].filter(([each]) => userOf(each) === userOf(id)).map(([, size]) => size);
    const isFull = sum(ofUser) > maxBytesUser * (isForOthers ? OTHERS_SHARE : 1);
    if (isFull || ofUser.length > (isForOthers ? OTHERS_FILES : USER_FILES)) throw new SpaceExhaustedError('user');
    if (sum(sizes.values()) > maxBytesAll || sizes.size > ALL_FILES) throw new SpaceExhaustedError();
  }

  const expect = (id: string, bytes: number, isForOthers: boolean): Promise<void> =>
    rethrowStorageErrors(() => check(id, bytes, isForOthers));

  function hold(id: string, bytes = 0) {
    const claim: Claim = { id, bytes, hasEnded: false };
    claims.add(claim);
    return {
      async reach(size: number, isForOthers: boolean): Promise<void> {
        if (size <= claim.bytes) return;
        claim.bytes = size + step;
        await expect(id, claim.bytes, isForOthers);
      },
      shrink: (size: number) => void (claim.bytes = size),
      release(): void {
        claim.hasEnded = true;
        if (listing === null) claims.delete(claim);
      },
    };
  }

  async function* holdWhile({ id, size }: Pick<ExportFile, 'id' | 'size'>, bytes: AsyncIterable<Uint8Array>) {
    const claim = hold(id, size);
    try {
      yield* bytes;
    } finally {
      claim.release();
    }
  }

  return { hold, holdWhile, expect: (id: string, isForOthers: boolean) => expect(id, SMALLEST_CLAIM, isForOthers) };
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, each) => total + each, 0);
const digestOf = (userId: string): string => createHash('sha256').update(userId).digest('hex').slice(0, 16);
const userOf = (id: string): string => id.slice(0, 16);
