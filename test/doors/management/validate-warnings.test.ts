import { afterAll, beforeAll, expect, test } from 'vitest';
import { trinoResponses } from '../../contracts/trino/responses.ts';
import { startTrinoDouble, type TrinoDouble } from '../../doubles/trino.ts';
import { reportFigure } from '../../support/faults/figure.ts';
import { type Caller, type TestService, admin, expectStatus, startTestService } from '../../support/services/service.ts';

let service: TestService;
let root: Caller;
let double: TrinoDouble;
beforeAll(async () => {
  double = await startTrinoDouble(trinoResponses);
  service = await startTestService();
  root = service.as(admin);
  const connection = { host: '127.0.0.1', port: double.port, user: 'reader', database: 'memory' };
  await expectStatus(
    root.call('POST', '/api/v1/databases', { name: 'Lake', kind: 'trino', connection, settings: { schema: 'shop' } }),
    201,
  );
});
afterAll(async () => {
  await service.close();
  await double.close();
});

interface Validated {
  readonly status: string;
  readonly warnings?: readonly string[];
}
let queries = 0;
async function validated(database: string, masked: boolean): Promise<Validated> {
  const parameters = [{ name: '@Pin', dataType: 'int', required: true, masked }];
  const query = { name: `Query ${++queries}`, database, sql: 'SELECT @Pin AS value', parameters };
  const { id } = (await expectStatus(root.call<{ id: string }>('POST', '/api/v1/queries', query), 201)).json;
  return (await expectStatus(root.call<Validated>('POST', `/api/v1/queries/${id}/validate`), 200)).json;
}

test('validate warns about masked parameters on Trino, where values are part of the statement text', async () => {
  const { status, warnings } = await validated('Lake', true);
  expect([status, warnings]).toEqual(['Validated', [expect.stringMatching(/^@Pin is masked.*Trino.*operators/)]]);
  expect((await validated('Lake', false)).warnings).toBeUndefined();
  expect((await validated('Demo', true)).warnings).toBeUndefined();
  reportFigure(30, 'validate warns about 1 of 1 masked parameters on Trino, about none elsewhere');
});
