import { type Connector, type OpenRequest, bindNull } from '../connector.ts';
import type { NetworkSettings } from '../network/network-engine.ts';
import { requireWritable } from '../statements/require-writable.ts';
import { warningsOf } from './account.ts';
import { Database } from './database.ts';
import { renderParameters } from './parameters.ts';
import { describe, prepareEpilogue } from './prepare.ts';
import { run } from './run.ts';
import { readSchema } from './schema.ts';

/** Does not connect: the first run does. */
export function openMysql(settings: NetworkSettings, { context, writable }: OpenRequest): Connector {
  const database = new Database(settings, context.connections, writable);
  return {
    describe: (sql, parameters, signal) => database.use(signal, (session) => describe(session, sql, parameters)),
    async checkEpilogue(sql, parameters, signal) {
      requireWritable(database);
      const rendered = renderParameters(sql, parameters.map(bindNull));
      await database.use(signal, (session) => prepareEpilogue(session, rendered), 'READ WRITE');
    },
    run: (statement, options, signal) => run(database, statement, options, signal),
    schema: (signal) => database.use(signal, readSchema),
    async ping(signal) {
      const warnings = await database.use(signal, warningsOf);
      if (!writable) return warnings;
      return ['The connection is marked writable: the Epilogue of a query can change the database.', ...warnings];
    },
    close: () => database.close(),
  };
}
