import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Company, startCompany, Visitor } from '../../support/services/oidc-provider.ts';

let company: Company;
beforeAll(async () => {
  company = await startCompany({ SLUICE_DEMO: 'off' });
});
afterAll(() => company.close());

const VISITORS = 120;

test('strangers who come back with codes of their own making give the provider, the log and the audit trail little to do', async () => {
  const { service, provider } = company;
  const start = `${service.url}/api/v1/session/oidc`;
  const begun = await Promise.all(
    Array.from({ length: VISITORS }, async () => {
      const visitor = new Visitor();
      const state = new URL((await visitor.ask(start)).headers.get('location') ?? '').searchParams.get('state');
      return { visitor, callback: `${start}/callback?code=made-up&state=${state}` };
    }),
  );
  const leads = await Promise.all(
    begun.map(async ({ visitor, callback }) => (await visitor.ask(callback)).headers.get('location')),
  );
  expect(leads.filter((location) => location?.startsWith('/sign-in?problem='))).toHaveLength(VISITORS);
  expect(provider.mostAtOnce()).toBeLessThanOrEqual(16);
  expect(service.log().length).toBeLessThanOrEqual(70);
});
