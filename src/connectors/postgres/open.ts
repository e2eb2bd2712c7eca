import { type Connector, type OpenRequest, bindNull } from '../connector.ts';
import type { NetworkSettings } from '../network/network-engine.ts';
import { sessionPool } from '../runs/run-pool.ts';
import { requireWritable } from '../statements/require-writable.ts';
import { accountWarnings } from './account-warnings.ts';
import { connect } from './connect.ts';
import { engineError } from './engine-error.ts';
import { renderParameters } from './parameters.ts';
import { Pipeline } from './pipelined/pipeline.ts';
import { prepareEpilogue, prepareSelect } from './prepare.ts';
import { type Database, run } from './run.ts';
import { readSchema } from './schema.ts';
import { Types } from './types.ts';

export interface PostgresSettings extends NetworkSettings {
  /** Whether concurrent runs of quick statements may share a connection. */
  readonly pipelinedBatches: boolean;
}

/** Opens without connecting: the first run connects. */
export function openPostgres(settings: PostgresSettings, { context, writable }: OpenRequest): Connector {
  const pool = sessionPool(() => connect(settings), context.connections);
  const types = new Types();
  const pipeline = settings.pipelinedBatches ? new Pipeline(pool, types) : undefined;
  const database: Database = { pool, types, pipeline, writable };
  return {
    async describe(sql, parameters, signal) {
      const rendered = renderParameters(sql, parameters.map(bindNull));
      const work = pool.use(signal, (session) => {
        session.forget(rendered.key.select); // the tables may have changed
        return prepareSelect(session, database.types, rendered);
      });
      return (await work).columns;
    },
    async checkEpilogue(sql, parameters, signal) {
      requireWritable(database);
      const rendered = renderParameters(sql, parameters.map(bindNull));
      await pool.use(signal, (session) => {
        session.forget(rendered.key.epilogue);
        return prepareEpilogue(session, database.types, rendered);
      });
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
