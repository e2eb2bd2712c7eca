import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, postgresProblem } from '../../support/databases/postgres.ts';
import { createUser } from '../../support/people/accounts.ts';
import { startTestService, type TestService } from '../../support/services/service.ts';

describe.skipIf(postgresProblem() !== null)('guess limits of two replicas', () => {
  let here: TestService;
  let there: TestService;
  beforeAll(async () => {
    const settings = { SLUICE_METADATA_URL: await createDatabase(), SLUICE_DEMO: 'off', SLUICE_TRUSTED_PROXIES: '127.0.0.1' };
    here = await startTestService(settings);
    there = await startTestService({ ...settings, SLUICE_DATA: here.folder });
  });
  afterAll(async () => {
    await there?.close();
    await here?.close();
  });

  const guess = async (service: TestService, username: string, password: string, address: string) =>
    (await service.as().call('POST', '/api/v1/session', { username, password }, { 'X-Forwarded-For': address })).status;

  it('allow five wrong passwords per account and address across both', async () => {
    const { username, password } = await createUser(here, 'guessed');
    for (let turn = 0; turn < 5; turn++) {
      const service = turn % 2 ? here : there;
      expect(await guess(service, turn % 2 ? 'GUESSED' : username, `wrong guess ${turn}`, '192.0.2.1')).toBe(401);
    }
    for (const service of [here, there]) {
      expect(await guess(service, username, 'wrong guess again', '192.0.2.1')).toBe(429);
      expect(await guess(service, username, password, '192.0.2.1')).toBe(429);
      expect(await guess(service, username, password, '192.0.2.2')).toBe(200);
    }
  });
});
