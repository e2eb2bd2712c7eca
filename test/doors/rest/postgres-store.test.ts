import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditOf } from '../../support/audit-entries.ts';
import { createDatabase, postgresProblem } from '../../support/databases/postgres.ts';
import { expectProblem } from '../../support/http/problem.ts';
import { sendRaw } from '../../support/http/raw-call.ts';
import { createKey } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, startTestService, type TestService } from '../../support/services/service.ts';

describe.skipIf(postgresProblem() !== null)('with PostgreSQL as the store', () => {
  let service: TestService;
  let caller: Caller;
  let queryName: string;
  let key: string;

  beforeAll(async () => {
    service = await startTestService({ SLUICE_METADATA_URL: await createDatabase() });
    ({ key } = await createKey(service.as(admin), { name: 'store' }));
    caller = service.as({ key });
    ({ queryName } = await publish(service.as(admin), {
      name: 'Echo',
      sql: 'select @Text as t from range(15)',
      parameters: [{ name: '@Text', dataType: 'nvarchar(max)', required: false }],
    }));
  });
  afterAll(() => service.close());

  test('queries run, page and are audited', async () => {
    const parameters = [{ ParameterName: '@Text', Value: 'ä€😀' }];
    const first = await caller.run(queryName, parameters, { RowSize: '10' });
    const second = await caller.run(queryName, parameters, { QueryMoreCode: first.json.QueryMoreCode ?? '' });
    expect([first.json.Data.length, second.json.Data.length, second.json.QueryMoreCode]).toEqual([10, 5, null]);
    expect(await auditOf(service.as(admin), second)).toMatchObject({
      rows: 5,
      parameters: { '@Text': 'ä€😀' },
      query: queryName,
    });
  });

  // PostgreSQL accepts neither NUL nor lone surrogates in text: input must not break the audit trail
  test.each(['a\0b', '\0', '\ud800', 'x'.repeat(5000), '\u{1f600}'.repeat(200), `${'x'.repeat(299)}\u{1f600}`])(
    'the query name %j is 403 and audited',
    async (name) => {
      const response = await caller.run(name);
      await expectProblem(Promise.resolve(response), 403, 'query_not_accessible');
      expect(await auditOf(service.as(admin), response)).toMatchObject({ status: 403, outcome: 'refused', user: 'admin' });
      const path = `/api/v1/JsonBuilder/GetQueryParameters?queryName=${encodeURIComponent(name.toWellFormed())}`;
      await expectProblem(caller.call('GET', path), 403, 'query_not_accessible');
    },
  );

  test('a user name with NUL is 401', async () => {
    for (const name of ['ad\0min', '\0', 'x'.repeat(3000)]) {
      const Authorization = `Basic ${Buffer.from(`${name}:whatever it may be`).toString('base64')}`;
      await expectProblem(service.as().run(queryName, [], { Authorization }), 401, 'credential_invalid');
    }
  });

  test('a client with an unusual name is audited', async () => {
    const body = JSON.stringify({ QueryName: queryName, Parameters: [] });
    for (const agent of ['\u00ff\u00fe', 'x'.repeat(1000)]) {
      const headers = { 'X-API-Key': key, 'Content-Type': 'application/json', 'User-Agent': agent };
      expect(
        (await sendRaw(service.url, { method: 'POST', path: '/api/v1/JsonBuilder/ExecuteQuery', headers, body })).status,
      ).toBe(200);
    }
  });
});
