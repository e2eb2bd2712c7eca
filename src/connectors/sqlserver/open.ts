import { type Connector, type OpenRequest, bindNull } from '../connector.ts';
import type { NetworkSettings } from '../network/network-engine.ts';
import { sessionPool } from '../runs/run-pool.ts';
import { requireWritable } from '../statements/require-writable.ts';
import { accountWarnings } from './account-warnings.ts';
import { connect } from './connect.ts';
import { checkEpilogue, Descriptions } from './describe.ts';
import { engineError } from './engine-error.ts';
import { renderParameters } from './parameters.ts';
import { type Database, run } from './run.ts';
import { readSchema } from './schema.ts';

/** Opens without connecting: the first run connects. */
export function openSqlServer(settings: NetworkSettings, { context, writable }: OpenRequest): Connector {
  const pool = sessionPool(() => connect(settings), context.connections);
  const database: Database = { pool, descriptions: new Descriptions(), writable };
  return {
    async describe(sql, parameters, signal) {
      const rendered = renderParameters(sql, parameters.map(bindNull));
      database.descriptions.forget(rendered); // the current state is requested
      return pool.use(signal, (session) => database.descriptions.query(session, rendered));
    },
    async checkEpilogue(sql, parameters, signal) {
      requireWritable(database);
      const rendered = renderParameters(sql, parameters.map(bindNull));
      await pool.use(signal, (session) => checkEpilogue(session, rendered));
    },
    run: (statement, options, signal) => run(database, statement, options, signal),
    schema: (signal) => pool.use(signal, readSchema).catch(rethrow),
    ping: (signal) => pool.use(signal, (session) => accountWarnings(session, writable)).catch(rethrow),
    close: () => pool.close(),
  };
}

function rethrow(error: unknown): never {
  throw engineError('failed', error);
}
