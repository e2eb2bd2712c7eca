import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import bindings from '@duckdb/node-bindings';
import { type Connector, ConnectorError, type OpenRequest } from '../connector.ts';
import { requireWritable } from '../refused-epilogue.ts';
import { Database } from './database.ts';
import { checkEpilogue, describe } from './describe.ts';
import { engineError } from './engine-error.ts';
import { reserveFile } from './open-files.ts';
import { run } from './run.ts';
import { readSchema } from './schema.ts';
import { Session } from './session.ts';

const shortWorkMs = 30_000;

/** Opens a file that was found to be one of ours to open. */
export async function openDatabaseFile(path: string, { surroundings, writable }: OpenRequest): Promise<Connector> {
  const release = reserveFile(path, writable);
  if (release === undefined) {
    throw new ConnectorError('unavailable', 'The file is open for writing, which no other connection may share.');
  }
  await mkdir(surroundings.scratchFolder, { recursive: true });
  // its own folder: what one database spills, the SQL of another must not reach
  const scratch = await mkdtemp(join(surroundings.scratchFolder, 'duckdb-'));
  const cleanUp = async (): Promise<void> => {
    await rm(scratch, { recursive: true, force: true });
    release();
  };
  try {
    const instance = await bindings.open(path, configuration(scratch, writable));
    const database = new Database(await connectAll(instance, surroundings.connections, writable), writable);
    return connector(database, async () => {
      bindings.close_sync(instance);
      await cleanUp();
    });
  } catch (error) {
    await cleanUp();
    throw engineError('unavailable', error);
  }
}

function connector(database: Database, closeFile: () => Promise<void>): Connector {
  let closing: Promise<void> | undefined;
  return {
    describe: (sql, parameters, signal) => database.use(signal, shortWorkMs, (session) => describe(session, sql, parameters)),
    async checkEpilogue(sql, parameters, signal) {
      requireWritable(database);
      await database.use(signal, shortWorkMs, (session) => checkEpilogue(session, sql, parameters));
    },
    run: (statement, options, signal) => run(database, statement, options, signal),
    schema: (signal) => database.use(signal, shortWorkMs, readSchema).catch(rethrow),
    async ping(signal) {
      await database.use(signal, shortWorkMs, (session) => session.rows('SELECT 1')).catch(rethrow);
      return database.writable
        ? ['The file is opened for writing: an Epilogue can change it, and no other process can open it.']
        : [];
    },
    close() {
      closing ??= database.close().then(closeFile);
      return closing;
    },
  };
}

function rethrow(error: unknown): never {
  throw engineError('failed', error);
}

function configuration(scratch: string, writable: boolean): bindings.Config {
  const config = bindings.create_config();
  const settings = {
    access_mode: writable ? 'READ_WRITE' : 'READ_ONLY',
    threads: String(Math.min(availableParallelism(), 8)),
    memory_limit: `${memoryLimit() >> 20}MiB`,
    temp_directory: scratch,
    max_temp_directory_size: '8GiB',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_persistent_secrets: 'false',
  };
  for (const [name, value] of Object.entries(settings)) bindings.set_config(config, name, value);
  return config;
}

function memoryLimit(): number {
  const constrained = process.constrainedMemory();
  const memory = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.min(memory / 4, 2 ** 31 - 1);
}

/** Settings of a connection must be made before the last one locks them all; so every connection is made at once. */
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
