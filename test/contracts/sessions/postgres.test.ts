import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Connector, ConnectorError } from '../../../src/connectors/connector.ts';
import { createDatabase, postgresProblem } from '../../support/databases/postgres.ts';
import { jsonRows, createSignal, number } from '../connector-steps.ts';
import { type PostgresTestDatabase, preparePostgres } from '../postgres/fixture.ts';
import { plannedTraces, postgresSessions, prepareSessionTraces } from './postgres-traces.ts';
import { sessionContract } from './session-contract.ts';

const QUICK_MS = 20;
const OUTLASTS_TEST_MS = 120_000;
const problem = postgresProblem();
if (problem !== null) console.warn(`PostgreSQL is not there: ${problem}`);

describe.skipIf(problem !== null)('sessions of PostgreSQL', () => {
  let database: PostgresTestDatabase;
  beforeAll(async () => {
    database = await preparePostgres(await createDatabase());
    await prepareSessionTraces(database.admin, database.owner.username);
  });
  afterAll(() => database.close());
  const fixture = postgresSessions(async () => database);

  sessionContract('PostgreSQL', fixture);

  const opened = async (use: (connector: Connector) => Promise<void>) => {
    const connector = await fixture.open();
    await use(connector);
    await connector.close();
  };
  const rows = async (connector: Connector, sql: string, n = 1) => {
    const statement = { sql, parameters: [number('@N', String(n))] };
    return jsonRows(await connector.run(statement, { timeoutMs: OUTLASTS_TEST_MS }, createSignal()));
  };
  const oneByOne = async (connector: Connector) => {
    const found: string[][][] = [];
    for (const sql of fixture.probes) found.push(await rows(connector, sql));
    return found;
  };

  test.each(plannedTraces)('a function called by the planner leaves nothing: %s', (trace) =>
    opened(async (connector) => {
      const fresh = await oneByOne(connector);
      await connector.describe(`SELECT id FROM items WHERE id = planned('${trace}')`, [], createSignal()).catch(() => {});
      expect(await oneByOne(connector)).toEqual(fresh);
      await connector.checkEpilogue(`DELETE FROM log WHERE number = planned('${trace}')`, [], createSignal()).catch(() => {});
      expect(await oneByOne(connector)).toEqual(fresh);
    }),
  );

  test.each(fixture.traces)('callers of one batch do not affect each other: %s', (trace) =>
    opened(async (connector) => {
      const leaving = `SELECT CASE WHEN @N = 0 THEN leave('${trace}') END`;
      const fresh = await oneByOne(connector);
      // statements are batched after five quick runs in a row; on a busy machine one of them may be slow
      for (let round = 0, quickRounds = 0; round < 6 || quickRounds < 2; round++) {
        let slowestMs = 0;
        for (const sql of [leaving, ...fixture.probes]) {
          const startedAt = performance.now();
          await rows(connector, sql);
          slowestMs = Math.max(slowestMs, performance.now() - startedAt);
        }
        quickRounds = slowestMs < QUICK_MS ? quickRounds + 1 : 0;
      }
      const left = rows(connector, leaving, 0).catch((error: unknown) => expect(error).toBeInstanceOf(ConnectorError));
      expect(await Promise.all(fixture.probes.map((sql) => rows(connector, sql)))).toEqual(fresh);
      await left;
      expect(await oneByOne(connector)).toEqual(fresh);
    }),
  );
});
