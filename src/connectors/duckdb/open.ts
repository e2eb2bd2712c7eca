import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { once } from '../../core/concurrency/once.ts';
import { definedFields } from '../../core/defined-fields.ts';
import { type Connector, ConnectorError, MISSING_FILE, type OpenRequest } from '../connector.ts';
import { embeddedConnector } from '../embedded/embedded-connector.ts';
import { EngineProcess } from '../embedded/engine-process.ts';
import type { FileToOpen } from '../embedded/frames.ts';
import { defaultMemoryBytes } from '../embedded/memory-limit.ts';
import { SharedProcess } from '../embedded/shared-process.ts';

const idleMs = 60_000;
const mostThreads = 64;
const writeWarning = 'The file is opened for writing: an Epilogue can change it, and no other process can open it.';

/** Opens a file whose path was checked. Its process is started when needed. */
export async function openDatabaseFile(path: string, { context, writable }: OpenRequest): Promise<Connector> {
  const release = reserveFile(path, writable);
  if (release === undefined) {
    throw new ConnectorError('unavailable', 'The file is open for writing, which no other connection may share.');
  }
  let scratchFolder = '';
  const shared = new SharedProcess({
    engine: 'DuckDB',
    idleMs,
    async start() {
      await requireSameFile(path);
      await mkdir(context.scratchFolder, { recursive: true });
      // a separate folder: the SQL of one database must not reach what another spills
      scratchFolder = await mkdtemp(join(context.scratchFolder, 'duckdb-'));
      const { connections, engineMemoryBytes: memoryBytes = defaultMemoryBytes() } = context;
      return startProcess({ path, writable, scratchFolder, connections, memoryBytes });
    },
    cleanUp: () => rm(scratchFolder, { recursive: true, force: true }).catch(() => {}), // the next start of the service removes the rest
  });
  const connector = embeddedConnector(shared, writable, writeWarning);
  return { ...connector, close: once(() => connector.close().finally(release)) };
}

const program = fileURLToPath(new URL('./child/main.ts', import.meta.url));

async function startProcess(file: FileToOpen): Promise<EngineProcess> {
  const process = new EngineProcess({
    engine: 'DuckDB',
    program,
    flags: [
      '--disable-warning=ExperimentalWarning',
      '--max-semi-space-size=16',
      '--heap-growing-percent=60',
      '--max-old-space-size=512',
      '--expose-gc', // see child/run.ts
    ],
    environment: {
      TZ: 'UTC',
      MALLOC_ARENA_MAX: '2',
      MALLOC_MMAP_THRESHOLD_: '262144', // copies of texts are unmapped when they are freed
      MALLOC_TRIM_THRESHOLD_: '1048576',
      // DuckDB's allocator returns freed memory to the system: what it kept would count towards the limit of the process
      DUCKDB_JE_MALLOC_CONF: 'retain:false,dirty_decay_ms:1000,muzzy_decay_ms:0',
      UV_THREADPOOL_SIZE: String(Math.min(file.connections + 4, mostThreads)), // each connection may block one
      ...definedFields({ NODE_COMPILE_CACHE: getCompileCacheDir() }),
    },
    memoryBytes: file.memoryBytes,
    oneRequestAtATime: false,
  });
  await process.openFile(file);
  return process;
}

/** The path was resolved when it was found to be allowed. DuckDB would create a missing file that it opens for writing. */
async function requireSameFile(path: string): Promise<void> {
  const now = await realpath(path).catch(() => undefined);
  if (now === undefined) throw new ConnectorError('unavailable', MISSING_FILE, { isForAuthors: true });
  if (now !== path) throw new ConnectorError('unavailable', 'The file was replaced by a link.', { isForAuthors: true });
}

const openFiles = new Map<string, number>(); // by path: the number of readers, or -1 for a writer

/**
 * A writer needs the file exclusively. DuckDB locks it only while its process runs: without this check, connections to the same file
 * would fail depending on which process is running. Returns undefined if the file is in use, else a function that releases it.
 */
function reserveFile(path: string, writable: boolean): (() => void) | undefined {
  const users = openFiles.get(path) ?? 0;
  if (users < 0 || (writable && users > 0)) return undefined;
  openFiles.set(path, writable ? -1 : users + 1);
  return () => openFiles.set(path, writable ? 0 : (openFiles.get(path) ?? 1) - 1);
}
