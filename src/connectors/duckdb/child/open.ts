import { availableParallelism } from 'node:os';
import bindings from '@duckdb/node-bindings';
import { bindNull, type SchemaTree, type Statement } from '../../connector.ts';
import type { FileToOpen, EngineRequest } from '../../embedded/frames.ts';
import { engineMemoryMiB } from '../../embedded/memory-limit.ts';
import { mostTables, schemaOfRows } from '../../statements/schema-tree.ts';
import { Database, runInterruptible } from './database.ts';
import { describe } from './describe.ts';
import { engineError } from './engine-error.ts';
import { renderParameters } from './parameters.ts';
import { prepare } from './prepare.ts';
import { type ResultReceiver, run } from './run.ts';
import { Session } from './session.ts';

/** The database of this process. */
export interface OpenDatabase {
  run(statement: Statement, receiver: ResultReceiver, signal: AbortSignal): Promise<void>;
  reply(request: ShortRequest, signal: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
}

type ShortRequest = Exclude<EngineRequest, { type: 'open' | 'run' }>;

export async function openDatabase(file: FileToOpen): Promise<OpenDatabase> {
  try {
    const instance = await bindings.open(file.path, configuration(file));
    const database = new Database(await connectAll(instance, file.connections, file.writable), file.writable);
    return {
      run: (statement, receiver, signal) => run(database, statement, receiver, signal),
      reply: (request, signal) =>
        database.use(signal, (session) => runInterruptible(session, signal, () => replyTo(session, request))),
      async close() {
        await database.close();
        bindings.close_sync(instance);
      },
    };
  } catch (error) {
    throw engineError('unavailable', error);
  }
}

async function replyTo(session: Session, request: ShortRequest): Promise<unknown> {
  try {
    switch (request.type) {
      case 'describe':
        return await describe(session, request.sql, request.parameters);
      case 'checkEpilogue':
        await prepare(session, 'epilogue', renderParameters(request.sql, request.parameters.map(bindNull)));
        return null;
      case 'schema':
        return await readSchema(session);
      case 'ping':
        return await session.rows('SELECT 1');
    }
  } catch (error) {
    throw engineError('failed', error);
  }
}

function configuration({ writable, scratchFolder, memoryBytes }: FileToOpen): bindings.Config {
  const config = bindings.create_config();
  const settings = {
    access_mode: writable ? 'READ_WRITE' : 'READ_ONLY',
    threads: String(Math.min(availableParallelism(), 8)),
    memory_limit: `${engineMemoryMiB(memoryBytes)}MiB`,
    temp_directory: scratchFolder,
    max_temp_directory_size: '8GiB',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_persistent_secrets: 'false',
    allocator_background_threads: 'true', // return freed memory at rest, too
  };
  for (const [name, value] of Object.entries(settings)) bindings.set_config(config, name, value);
  return config;
}

/** The configuration of all connections is locked at the end, so every connection is made here. */
async function connectAll(instance: bindings.Database, count: number, writable: boolean): Promise<Session[]> {
  const sessions: Session[] = [];
  for (let i = 0; i < Math.max(count, 1); i++) {
    const session = new Session(await bindings.connect(instance), { dataChanges: writable });
    // one chunk ahead: texts are not counted, so that the buffer would hold megabytes of long ones
    await session.execute("SET streaming_buffer_size = '1KiB'");
    await session.execute('SET errors_as_json = true');
    sessions.push(session);
  }
  const [first] = sessions;
  await first?.execute("SET GLOBAL TimeZone = 'UTC'");
  await first?.execute('SET enable_external_access = false');
  await first?.execute('SET lock_configuration = true');
  return sessions;
}

const tablesAndColumns = `
  WITH shown AS (
    SELECT schema_name, table_name AS name, 'table' AS type, comment, table_oid AS oid
    FROM duckdb_tables()
    WHERE database_name = current_database() AND NOT internal AND NOT temporary
    UNION ALL
    SELECT schema_name, view_name, 'view', comment, view_oid
    FROM duckdb_views()
    WHERE database_name = current_database() AND NOT internal AND NOT temporary
    ORDER BY ALL
    LIMIT ${mostTables + 1}
  )
  SELECT shown.schema_name, shown.name, shown.type, shown.comment, c.column_name, c.data_type, c.is_nullable, c.comment
  FROM shown
  LEFT JOIN duckdb_columns() c
    ON c.database_name = current_database() AND c.schema_name = shown.schema_name AND c.table_name = shown.name
  ORDER BY shown.schema_name, shown.name, c.column_index`;

export const readSchema = async (session: Session): Promise<SchemaTree> => schemaOfRows(await session.rows(tablesAndColumns));
