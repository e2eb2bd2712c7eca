import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectProblem } from '../../support/http/problem.ts';
import { createKey, createQueryUser } from '../../support/people/accounts.ts';
import { getEmbedUrl } from '../../support/queries/embeds.ts';
import { createFreshStore } from '../../support/services/metadata-store.ts';
import { admin, type Caller, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let reader: Caller;
let narrow: Caller;
beforeAll(async () => {
  service = await startTestService(await createFreshStore());
  const root = service.as(admin);
  const { credential } = await createQueryUser(service, 'outsider', { databases: [] });
  outsider = service.as({ key: (await createKey(service.as(credential), { name: 'outside' })).key });
  reader = service.as({ key: (await createKey(root, { name: 'reader' })).key });
  narrow = service.as({ key: (await createKey(root, { name: 'narrow', queries: ['QD_Customers_Demo'] })).key });
});
afterAll(() => service.close());
let outsider: Caller;

const doors: readonly (readonly [string, (caller: Caller, queryName: string) => ReturnType<Caller['call']>])[] = [
  ['JsonBuilder', (caller, queryName) => caller.call('POST', '/api/v1/JsonBuilder/ExecuteQuery', bodyOf(queryName))],
  ['ChartBuilder', (caller, queryName) => caller.call('POST', '/api/v1/ChartBuilder/ExecuteQuery', bodyOf(queryName))],
  ['Export', (caller, queryName) => caller.call('POST', '/api/v1/Export/ExecuteQuery?format=csv', bodyOf(queryName))],
  ['the short form', (caller, queryName) => caller.call('POST', `/api/query/execute/${encodeURIComponent(queryName)}`)],
  ['GetEmbedUrl', (caller, queryName) => getEmbedUrl(caller, { queryName })],
  [
    'GetQueryParameters',
    (caller, queryName) =>
      caller.call('GET', `/api/v1/JsonBuilder/GetQueryParameters?queryName=${encodeURIComponent(queryName)}`),
  ],
  [
    'choices',
    (caller, queryName) => caller.call('GET', `/api/v1/queries/${encodeURIComponent(queryName)}/choices?parameter=@Region`),
  ],
];
const bodyOf = (QueryName: string) => ({ QueryName, Parameters: [] });

test.each(doors)('%s names the technical name to a caller who may run the query', async (_door, run) => {
  for (const name of ['Sales by region', 'SALES by Region']) {
    const { detail } = await expectProblem(run(reader, name), 403, 'query_not_accessible');
    expect(detail).toBe(`'${name}' is a display name; send QueryName 'QD_Sales_by_region_Demo'.`);
  }
});

test.each(doors)('%s responds to any other caller as if there were no such query', async (_door, run) => {
  for (const caller of [outsider, narrow]) {
    const { detail: known } = await expectProblem(run(caller, 'Sales by region'), 403, 'query_not_accessible');
    const { detail: unknown } = await expectProblem(run(caller, 'No such query'), 403, 'query_not_accessible');
    expect(known).toBe(unknown);
  }
});
