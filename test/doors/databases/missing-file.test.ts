import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDuckdbFile } from '../../support/databases/duckdb-file.ts';
import { mcpOf } from '../../support/http/mcp.ts';
import { problemOf } from '../../support/http/problem.ts';
import { createKey, createQueryUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import {
  type ApiResponse,
  admin,
  type Caller,
  expectStatus,
  startTestService,
  type TestService,
} from '../../support/services/service.ts';

let service: TestService;
let author: Caller;
let user: Caller;
beforeAll(async () => {
  service = await startTestService({ SLUICE_DEMO: 'off' });
  author = service.as(admin);
  user = service.as((await createQueryUser(service, 'runs only')).credential);
});
afterAll(() => service.close());

const makers = {
  sqlite: async (file: string) => {
    const database = new DatabaseSync(join(service.files, file));
    database.exec('CREATE TABLE t (n INTEGER)');
    database.close();
  },
  duckdb: (file: string) => makeDuckdbFile(service.files, file, ['CREATE TABLE t (n INTEGER)']),
} as const;

describe.each(['sqlite', 'duckdb'] as const)('of a %s database whose file is missing', (kind) => {
  const missing = `${kind}-missing`;
  const sql = 'SELECT 1 AS n';
  const expectMissing = (response: ApiResponse) => {
    expect(response.status).toBe(503);
    expect(problemOf(response)).toMatchObject({
      code: 'database_unavailable',
      detail: expect.stringMatching(/^The database file does not exist\. Check its name .* Request id /),
    });
    expect(response.text).not.toContain(service.files);
  };

  test('validate and preview say so', async () => {
    const connection = { file: `never-made.${kind}` };
    await expectStatus(author.call('POST', '/api/v1/databases', { name: missing, kind, connection }), 201);
    const query = { name: 'On nothing', database: missing, sql, parameters: [] };
    const { id } = (await expectStatus(author.call<{ id: string }>('POST', '/api/v1/queries', query), 201)).json;
    expectMissing(await author.call('POST', `/api/v1/queries/${id}/validate`));
    expectMissing(await author.call('POST', '/api/v1/queries/preview', { database: missing, sql, parameters: [] }));
  });

  test('a call says so to authors only', async () => {
    const file = `removed.${kind}`;
    const name = `${kind} removed`;
    await makers[kind](file);
    await expectStatus(author.call('POST', '/api/v1/databases', { name, kind, connection: { file } }), 201);
    const { queryName } = await publish(author, { name: 'On a removed file', database: name, sql, aiAccess: true });
    await rm(join(service.files, file));
    // opened anew, because DuckDB keeps a file that it has open
    await service.restart();
    expectMissing(await author.run(queryName));
    const { key } = await createKey(author, { name: `${kind} author` });
    const refusal = await mcpOf(service, key).refusal('execute_query', { queryName });
    expect([refusal.code, refusal.message]).toEqual([50301, expect.stringMatching(/^The database file does not exist\./)]);

    const refused = await expectStatus(user.run(queryName), 503);
    expect(problemOf(refused).detail).toMatch(/^The database cannot be reached at the moment\. Try again later\./);
  });
});
