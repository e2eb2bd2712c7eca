import { beforeEach, describe, expect, test } from 'vitest';
import { startOidcService, Visitor } from '../../support/services/oidc-provider.ts';
import { type ApiResponse, type List, admin, startTestService } from '../../support/services/service.ts';

let visitor: Visitor;
beforeEach(() => {
  visitor = new Visitor();
});

const leadsTo = (response: Response): [number, string | null] => [response.status, response.headers.get('location')];

test('OIDC sign-in is not available without a configured provider', async () => {
  const local = await startTestService({ SLUICE_DEMO: 'off' });
  try {
    const get = (path: string): Promise<ApiResponse<unknown>> => local.as().call('GET', `/api/v1/session/${path}`);
    expect((await get('options')).json).toEqual({ company: null });
    for (const path of ['oidc', 'oidc/callback?code=x&state=y']) expect([path, (await get(path)).status]).toEqual([path, 404]);
  } finally {
    await local.close();
  }
});

describe('a provider', () => {
  test('can be down at start and later: this is reported and audited until it is back', async () => {
    const other = await startOidcService({ SLUICE_OIDC_DEFAULT_ROLES: 'Query User', SLUICE_DEMO: 'off' });
    try {
      const { provider, service: started } = other;
      provider.people.set('uma', { preferred_username: 'uma' });
      const callback = `${started.url}/api/v1/session/oidc/callback`;
      const begin = `${started.url}/api/v1/session/oidc?next=/queries`;
      provider.serve(null);
      const response = await visitor.ask(begin);
      expect(leadsTo(response)).toEqual([302, '/sign-in?problem=provider_unavailable&next=%2Fqueries']);
      expect(response.headers.getSetCookie()).toEqual([]);
      const { json } = await started.as(admin).call<List<unknown>>('GET', '/api/v1/audit?search=session.sign-in&limit=1');
      expect(json.items[0]).toMatchObject({ outcome: 'failed', status: 503, parameters: { problem: 'provider_unavailable' } });
      expect(started.log().join('\n')).toContain('Sign-in provider unavailable');

      provider.serve(callback);
      const came = await visitor.signInAtProvider(begin, 'uma');
      provider.serve(null);
      expect(leadsTo(await visitor.ask(came))).toEqual([302, '/sign-in?problem=provider_unavailable']);
      provider.serve(callback);
      expect(leadsTo(await new Visitor().signIn(started, 'uma', '/queries'))).toEqual([302, '/queries']);

      await provider.close(); // from now on nothing listens
      expect(leadsTo(await visitor.ask(came))).toEqual([302, '/sign-in?problem=sign_in_expired']);
      await visitor.ask(begin);
      const state = visitor.cookie(begin, 'sluice_oidc');
      expect(state).toBeDefined(); // its metadata is cached
    } finally {
      await other.close();
    }
  });

  test('can register the service as a public client, and leave databases to administrators', async () => {
    const other = await startOidcService({
      SLUICE_OIDC_CLIENT_ID: 'public',
      SLUICE_OIDC_CLIENT_SECRET: '',
      SLUICE_OIDC_DEFAULT_ROLES: 'Query User',
      SLUICE_DEMO: 'off',
    });
    try {
      const started = other.service;
      other.provider.people.set('vera', { preferred_username: 'vera' });
      expect(leadsTo(await visitor.signIn(started, 'vera'))).toEqual([302, '/']);
      const { json } = await started.as(visitor.session(started)).call<{ id: string }>('GET', '/api/v1/session');
      expect(json).toMatchObject({ roles: ['Query User'], databases: [] });
      await started.as(admin).call('PATCH', `/api/v1/users/${json.id}`, { databases: ['*'] });
      await visitor.signIn(started, 'vera');
      expect((await started.as(visitor.session(started)).call('GET', '/api/v1/session')).json).toMatchObject({
        databases: ['*'],
      });
    } finally {
      await other.close();
    }
  });
});
