import { afterAll, beforeAll, it } from 'vitest';
import { expectProblem } from '../../support/http/problem.ts';
import { createQueryUser } from '../../support/people/accounts.ts';
import { linkOf, pathOf } from '../../support/queries/links.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    SLUICE_EXPORT_MAX_BYTES: String(1 << 20),
    SLUICE_EXPORT_MAX_BYTES_USER: String(2 << 20),
  });
});
afterAll(() => service?.close());

it('readers of a link with an open parameter fill half of the space of its issuer, who exports and reads on', async () => {
  const { queryName } = await publish(service.as(admin), {
    name: 'Wide',
    sql: "select @Text as text, repeat('x', 1000) as wide from range(300) t(i)",
    parameters: [{ name: '@Text', dataType: 'nvarchar(50)', required: true }],
  });
  const ann = await createQueryUser(service, 'ann');
  const path = pathOf(await linkOf(ann.caller, { queryName, open: ['Text'] }));
  const read = (text: string) => service.as().call('GET', `${path}?Text=${text}`);
  for (const text of ['a', 'b', 'c']) await expectStatus(read(text), 200);
  await expectProblem(read('d'), 429, 'export_space_full');
  const body = { QueryName: queryName, Parameters: [{ ParameterName: '@Text', Value: 'd' }] };
  await expectStatus(ann.caller.call('POST', '/api/v1/Export/CreateLink?format=csv', body), 200);
  await expectStatus(ann.caller.call('GET', `/data/${queryName}.csv?Text=e`), 200);
});
