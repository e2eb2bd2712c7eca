import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OidcService, startOidcService, Visitor } from '../../support/services/oidc-provider.ts';

let oidc: OidcService;
beforeAll(async () => {
  oidc = await startOidcService({ SLUICE_DEMO: 'off' });
});
afterAll(() => oidc.close());

const VISITORS = 120;

test('callbacks with forged codes cause few requests to the provider, log lines and audit entries', async () => {
  const { service, provider } = oidc;
  const start = `${service.url}/api/v1/session/oidc`;
  const signIns = await Promise.all(
    Array.from({ length: VISITORS }, async () => {
      const visitor = new Visitor();
      const state = new URL((await visitor.ask(start)).headers.get('location') ?? '').searchParams.get('state');
      return { visitor, callback: `${start}/callback?code=made-up&state=${state}` };
    }),
  );
  const leads = await Promise.all(
    signIns.map(async ({ visitor, callback }) => (await visitor.ask(callback)).headers.get('location')),
  );
  expect(leads.filter((location) => location?.startsWith('/sign-in?problem='))).toHaveLength(VISITORS);
  expect(provider.mostAtOnce()).toBeLessThanOrEqual(16);
  expect(service.log().length).toBeLessThanOrEqual(70);
});
