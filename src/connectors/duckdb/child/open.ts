import { availableParallelism } from 'node:os';
import bindings from '@duckdb/node-bindings';
import type { Column } from '../../../results/column.ts';
import type { RowStream } from '../../../results/row-stream.ts';
import type { ParameterType, SchemaTree, Statement } from '../../connector.ts';
import type { FileToOpen } from '../protocol.ts';
import { Database } from './database.ts';
import { checkEpilogue, describe } from './describe.ts';
import { engineError } from './engine-error.ts';
import { type EpilogueSteps, run } from './run.ts';
import { readSchema } from './schema.ts';
import { Session } from './session.ts';

/** The connector without timeouts, which the service measures. */
export interface OpenDatabase {
  describe(sql: string, parameters: readonly ParameterType[], signal: AbortSignal): Promise<readonly Column[]>;
  checkEpilogue(sql: string, parameters: readonly ParameterType[], signal: AbortSignal): Promise<void>;
  run(statement: Statement, steps: EpilogueSteps, signal: AbortSignal): Promise<RowStream>;
  schema(signal: AbortSignal): Promise<SchemaTree>;
  ping(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export async function openDatabase(file: FileToOpen): Promise<OpenDatabase> {
  try {
    const instance = await bindings.open(file.path, configuration(file));
    const database = new Database(await connectAll(instance, file.connections, file.writable), file.writable);
    return {
      describe: (sql, parameters, signal) => database.use(signal, (session) => describe(session, sql, parameters)),
      checkEpilogue: (sql, parameters, signal) => database.use(signal, (session) => checkEpilogue(session, sql, parameters)),
      run: (statement, steps, signal) => run(database, statement, steps, signal),
      schema: (signal) => database.use(signal, readSchema).catch(rethrow),
      async ping(signal) {
        await database.use(signal, (session) => session.rows('SELECT 1')).catch(rethrow);
      },
      async close() {
        await database.close();
        bindings.close_sync(instance);
      },
    };
  } catch (error) {
    throw engineError('unavailable', error);
  }
}

function rethrow(error: unknown): never {
  throw engineError('failed', error);
}

function configuration({ writable, scratchFolder, memoryBytes }: FileToOpen): bindings.Config {
  const config = bindings.create_config();
  const settings = {
    access_mode: writable ? 'READ_WRITE' : 'READ_ONLY',
    threads: String(Math.min(availableParallelism(), 8)),
    memory_limit: `${engineMemory(memoryBytes) >> 20}MiB`,
    temp_directory: scratchFolder,
    max_temp_directory_size: '8GiB',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_persistent_secrets: 'false',
  };
  for (const [name, value] of Object.entries(settings)) bindings.set_config(config, name, value);
  return config;
}

/** DuckDB's limit leaves room for memory that it does not count. */
function engineMemory(memoryBytes: number): number {
  return Math.max(memoryBytes - 2 ** 28, memoryBytes / 2);
}

/** The configuration of all connections is locked at the end, so every connection is made here. */
async function connectAll(instance: bindings.Database, count: number, writable: boolean): Promise<Session[]> {
  const sessions: Session[] = [];
  for (let i = 0; i < Math.max(count, 1); i++) {
    const session = new Session(await bindings.connect(instance), { dataChanges: writable });
    await session.execute("SET streaming_buffer_size = '256KiB'");
    await session.execute('SET errors_as_json = true');
    sessions.push(session);
  }
  const [first] = sessions;
  await first?.execute("SET GLOBAL TimeZone = 'UTC'");
  await first?.execute('SET enable_external_access = false');
  await first?.execute('SET lock_configuration = true');
  return sessions;
}
