import { afterAll, beforeAll, expect, test } from 'vitest';
import { publish } from '../../support/queries/publish.ts';
import { admin, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

test('a published query runs with Basic, with a key and in pages', async () => {
  const caller = service.as(admin);
  const { queryName } = await publish(caller, { name: 'Numbers', sql: 'select i as n from range(25) t(i) order by i' });
  expect(queryName).toBe('QD_Numbers_Demo');
  const { json: key } = await caller.call<{ key: string }>('POST', '/api/v1/account/api-keys', { name: 'smoke' });
  const byKey = service.as({ key: key.key });

  const seen: unknown[] = [];
  let headers: Record<string, string> = { RowSize: '10' };
  for (let page = 0; page < 3; page++) {
    const response = await byKey.run(queryName, [], headers);
    expect(response.status).toBe(200);
    seen.push(...response.json.Data.map((row) => row.n));
    headers = { RowSize: '10', RowIndex: String(response.json.NextRowIndex), QueryMoreCode: response.json.QueryMoreCode ?? '' };
    expect(response.json.QueryMoreCode === null).toBe(page === 2);
  }
  expect(seen).toEqual(Array.from({ length: 25 }, (_, i) => i));
});
