import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Connector, type OpenRequest, type SchemaTree, bindNull } from '../connector.ts';
import { EngineProcess, processPool } from '../embedded/engine-process.ts';
import { defaultMemoryBytes } from '../embedded/memory-limit.ts';
import type { RunPool } from '../runs/run-pool.ts';
import { requireWritable } from '../statements/require-writable.ts';
import { columnOf } from './columns.ts';
import { engineError } from './engine-error.ts';
import { prepare } from './prepare.ts';
import type { FailureReport, FileToOpen, Request } from './protocol.ts';
import { run } from './run.ts';
import { queryText, statementText } from './statement-text.ts';

const maxProcesses = 4; // each is a process of some 60 MB
const idleMs = 60_000;

/** Opens a file whose path was checked. Processes are started when needed. */
export async function openDatabaseFile(path: string, { context, writable }: OpenRequest): Promise<Connector> {
  const { scratchFolder, connections, engineMemoryBytes = defaultMemoryBytes() } = context;
  await mkdir(scratchFolder, { recursive: true });
  const max = Math.min(connections, maxProcesses);
  return connector(processPool({ max, idleMs, start: () => startProcess(scratchFolder, engineMemoryBytes) }), { path, writable });
}

const program = fileURLToPath(new URL('./child/main.ts', import.meta.url));

function startProcess(scratchFolder: string, memoryBytes: number): EngineProcess<Request> {
  return new EngineProcess({
    engine: 'SQLite',
    program,
    flags: ['--disable-warning=ExperimentalWarning', '--max-old-space-size=256'],
    // UTC, so that `localtime` does not shift times
    environment: { TZ: 'UTC', SQLITE_TMPDIR: scratchFolder, NODE_COMPILE_CACHE: `${scratchFolder}/compiled` },
    memoryBytes,
    oneRequestAtATime: true,
  });
}

function connector(pool: RunPool<EngineProcess<Request>>, file: FileToOpen): Connector {
  async function replyOf<T>(process: EngineProcess<Request>, request: Request): Promise<T> {
    const response = await process.open().ask<T, FailureReport>(request);
    if ('failure' in response) throw engineError(response.failure);
    return response.reply;
  }
  return {
    async describe(sql, parameters, signal) {
      const text = queryText(sql, parameters.map(bindNull));
      return (await pool.use(signal, (process) => prepare(process, file, 'select', text))).map(columnOf);
    },
    async checkEpilogue(sql, parameters, signal) {
      requireWritable(file);
      const text = statementText(sql, parameters.map(bindNull));
      await pool.use(signal, (process) => prepare(process, file, 'epilogue', text));
    },
    run: (statement, options, signal) => run(pool, file, statement, options, signal),
    schema: (signal) => pool.use(signal, (process) => replyOf<SchemaTree>(process, { type: 'schema', file })),
    async ping(signal) {
      await pool.use(signal, (process) => replyOf(process, { type: 'ping', file }));
      return file.writable ? ['The file is opened for writing by queries with an Epilogue.'] : [];
    },
    close: () => pool.close(true),
  };
}
