import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { sqlserver } from '../../src/connectors/sqlserver/index.ts';
import { startTdsDouble } from '../doubles/tds/server.ts';
import { connectorContract } from './connector-contract.ts';
import { drain, jsonRows, never, number, rejection } from './connector-steps.ts';
import { requestFor, sqlserverFixture } from './sqlserver-fixture.ts';

const password = 'Pa$$word 😀';
const double = await startTdsDouble({ password });
afterAll(() => double.close());

const connection = (changes: Record<string, unknown> = {}) => ({
  host: '127.0.0.1',
  port: double.port,
  user: 'reader',
  password,
  database: 'test',
  ...changes,
});
const onDouble = sqlserverFixture(async ({ writable }) => {
  const connector = await sqlserver.open(requestFor(connection(), writable));
  // what the server was given to execute: an escape that the connector lets through shows here
  const canary = async () => {
    const reads = /^SELECT (TOP|n|COUNT)\b/;
    return JSON.stringify([double.store.log, double.store.executed.filter(({ sql }) => !reads.test(sql)).length]);
  };
  return { connector, canary, close: () => connector.close() };
});

connectorContract('SQL Server (a double of its protocol)', onDouble);

describe('SQL Server alone', () => {
  const { sql } = onDouble;

  test('x', async () => {
    expect([sleep, drain, jsonRows, never, number, rejection, sql]).toBeDefined();
  });
});
