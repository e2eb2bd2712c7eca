import { mkdir } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Connector, OpenRequest } from '../connector.ts';
import { createBatches, embeddedConnector, type Processes } from '../embedded/embedded-connector.ts';
import { EngineProcess, processPool } from '../embedded/engine-process.ts';
import type { FileToOpen } from '../embedded/frames.ts';
import { defaultMemoryBytes } from '../embedded/memory-limit.ts';

const maxProcesses = 4; // each is a process of some 60 MB
const idleMs = 60_000;
const graceMs = 20; // a process that waits for the service stops faster; one that computes does not stop
const writeWarning = 'The file is opened for writing by queries with an Epilogue.';

/** Opens a file whose path was checked. Processes are started when needed. */
export async function openDatabaseFile(path: string, { context, writable }: OpenRequest): Promise<Connector> {
  const { scratchFolder, connections, engineMemoryBytes: memoryBytes = defaultMemoryBytes() } = context;
  await mkdir(scratchFolder, { recursive: true });
  const file: FileToOpen = { path, writable, scratchFolder, connections: Math.min(connections, maxProcesses), memoryBytes };
  const pool = processPool({ max: file.connections, idleMs, start: () => startProcess(file) });
  const processes: Processes = {
    acquire: (deadline) => pool.acquire(deadline),
    async release(process, channel, deadline) {
      if (!channel.isFinished && !(process.isAlive && (await channel.stop(graceMs)))) process.kill();
      pool.release(process, deadline);
    },
    close: () => pool.close(true),
    batches: createBatches(pool),
  };
  return embeddedConnector(processes, writable, writeWarning);
}

const program = fileURLToPath(new URL('./child/main.ts', import.meta.url));

async function startProcess(file: FileToOpen): Promise<EngineProcess> {
  const { scratchFolder, memoryBytes } = file;
  const process = new EngineProcess({
    engine: 'SQLite',
    program,
    flags: ['--disable-warning=ExperimentalWarning', '--max-old-space-size=256'],
    // UTC, so that `localtime` does not shift times
    environment: {
      TZ: 'UTC',
      SQLITE_TMPDIR: scratchFolder,
      NODE_COMPILE_CACHE: getCompileCacheDir() ?? `${scratchFolder}/compiled`,
    },
    memoryBytes,
    oneRequestAtATime: true,
  });
  await process.openFile(file);
  return process;
}
