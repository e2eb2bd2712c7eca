import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportFigure } from '../../support/faults/figure.ts';
import { expectProblem } from '../../support/http/problem.ts';
import { createQueryUser } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { type Caller, type TestService, admin, expectStatus, startTestService } from '../../support/services/service.ts';

let service: TestService;
let greedy: Caller;
let modest: Caller;
let queryName: string;
beforeAll(async () => {
  service = await startTestService({
    SLUICE_EXPORT_MAX_BYTES: String(2 << 20),
    SLUICE_EXPORT_MAX_BYTES_ALL: String(6 << 20),
    SLUICE_EXPORT_MAX_BYTES_USER: String(3 << 20),
  });
  const author = service.as(admin);
  greedy = (await createQueryUser(service, 'greedy')).caller;
  modest = (await createQueryUser(service, 'modest')).caller;
  // about 1 MiB as CSV
  ({ queryName } = await publish(author, { name: 'Wide', sql: "select i as n, repeat('x', 1000) as t from range(1000) r(i)" }));
});
afterAll(() => service.close());

const createLink = (caller: Caller) =>
  caller.call<{ size: number }>('POST', '/api/v1/Export/CreateLink?format=csv', { QueryName: queryName, Parameters: [] });

test('a user who fills their share of the export space does not affect others', async () => {
  let used = 0;
  let refused = 0;
  for (let link = 0; link < 12; link++) {
    const response = await createLink(greedy);
    if (response.status === 200) used += response.json.size;
    else {
      await expectProblem(Promise.resolve(response), 429, 'export_space_full');
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      refused++;
    }
  }
  expect(used).toBeGreaterThan(2 << 20);
  expect(used).toBeLessThanOrEqual(3 << 20);
  expect(refused).toBeGreaterThan(8);
  await expectStatus(createLink(modest), 200);
  await expectStatus(createLink(modest), 200);
  reportFigure(28, `a user got ${used} of 6291456 bytes and ${refused} refusals (429); another user's files were written`);
});

test('files written in parallel share the limit', async () => {
  const user = (await createQueryUser(service, 'parallel')).caller;
  const statuses = (await Promise.all(Array.from({ length: 8 }, () => createLink(user)))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(3);
});
