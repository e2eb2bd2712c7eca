import { afterAll, beforeAll, expect, test } from 'vitest';
import { figure } from '../../support/faults/figure.ts';
import { expectProblem } from '../../support/http/problem.ts';
import { createUser } from '../../support/people/rest-callers.ts';
import { expectStatus, publish } from '../../support/queries/publish.ts';
import { admin, type Caller, startTestService, type TestService } from '../../support/services/service.ts';

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
  greedy = service.as((await createUser(author, 'greedy')).credential);
  modest = service.as((await createUser(author, 'modest')).credential);
  // about 1 MiB as CSV
  ({ queryName } = await publish(author, { name: 'Wide', sql: "select i as n, repeat('x', 1000) as t from range(1000) r(i)" }));
});
afterAll(() => service.close());

const createLink = (caller: Caller) =>
  caller.call<{ size: number }>('POST', '/api/v1/Export/CreateLink?format=csv', { QueryName: queryName, Parameters: [] });

test('a user who fills their share of the space for export files leaves the others theirs', async () => {
  let used = 0;
  let refused = 0;
  for (let link = 0; link < 12; link++) {
    const answer = await createLink(greedy);
    if (answer.status === 200) used += answer.json.size;
    else {
      await expectProblem(Promise.resolve(answer), 429, 'export_space_full');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      refused++;
    }
  }
  expect(used).toBeGreaterThan(2 << 20);
  expect(used).toBeLessThanOrEqual(3 << 20);
  expect(refused).toBeGreaterThan(8);
  await expectStatus(createLink(modest), 200);
  await expectStatus(createLink(modest), 200);
  figure(28, `a user got ${used} of 6291456 bytes and ${refused} refusals (429); another user's files were written`);
});

test('files that are written at the same time share the bound', async () => {
  const user = service.as((await createUser(service.as(admin), 'parallel')).credential);
  const statuses = (await Promise.all(Array.from({ length: 8 }, () => createLink(user)))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(3);
});
