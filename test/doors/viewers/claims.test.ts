import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditOf } from '../../support/audit-entries.ts';
import { mcpOf } from '../../support/http/mcp.ts';
import { problemOf } from '../../support/http/problem.ts';
import { bearer, createSigner, createVouchingApplication, seconds } from '../../support/people/viewers.ts';
import { embedOf, view } from '../../support/queries/embeds.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, type Caller, expectStatus, startTestService, type TestService } from '../../support/services/service.ts';

type Application = Awaited<ReturnType<typeof createVouchingApplication>>;
let service: TestService;
let root: Caller;
let host: Application;
let own: string;
beforeAll(async () => {
  service = await startTestService();
  root = service.as(admin);
  host = await createVouchingApplication(service, 'host', { attributes: { team: 'application canary' } });
  own = (
    await publish(root, {
      name: 'Own',
      sql: "select @Team || ' ' || @Size || ' ' || @Color as label, 1 as value",
      parameters: [
        { name: '@Team', dataType: 'nvarchar', boundTo: 'user.attributes.team' },
        { name: '@Size', dataType: 'nvarchar', required: true },
        { name: '@Color', dataType: 'nvarchar', default: 'any' },
      ],
    })
  ).queryName;
});
afterAll(() => service.close());

const team = { attributes: { team: 'red' } };
const sized = { ...team, values: { '@Size': 'small' } };
const run = async (claims: Record<string, unknown>, name = own, parameters: readonly unknown[] = []) =>
  (await host.as('ana', claims)).run(name, parameters);

describe('the audit trail', () => {
  test('names application and viewer of a refused token that the application signed', async () => {
    const wrong = await run({ ...sized, exp: seconds() + 7200 });
    const expired = await run({ ...sized, iat: seconds() - 60, exp: seconds() - 1 });
    expect([expired.status, problemOf(expired).code]).toEqual([401, 'credential_expired']);
    expect(problemOf(expired).detail).toContain('The application has to sign a new one');
    for (const refused of [wrong, expired])
      expect(await auditOf(root, refused)).toMatchObject({
        user: 'host',
        kind: 'application',
        viewer: 'ana',
        outcome: 'refused',
      });
    const unnamed = await run({ ...sized, sub: 'a\nb' });
    expect(await auditOf(root, unnamed)).toMatchObject({ user: 'host', viewer: null });
  });

  test('names no viewer if another key signed it, and the response says nothing about its claims', async () => {
    const forged = await host.tokenOf('ana', { aud: 'https://other.example.com' }, createSigner());
    const refused = await service.as({ token: forged }).run(own);
    expect([refused.status, problemOf(refused).detail]).toEqual([401, expect.stringContaining('not signed with a signing key')]);
    expect(problemOf(refused).detail).not.toMatch(/aud|127\.0\.0\.1/);
    expect(await auditOf(root, refused)).toMatchObject({ user: null, viewer: null });
  });
});

describe('a token that its application signed is refused with the reason', () => {
  const cases: Readonly<Record<string, readonly [Record<string, unknown>, RegExp]>> = {
    'another audience': [{ aud: 'https://other.example.com' }, /aud must be "http:\/\/127\.0\.0\.1:\d+"/],
    'no audience': [{ aud: undefined }, /aud must be/],
    'a longer life': [{ exp: seconds() + 7200 }, /exp must be at most 3600 seconds after iat/],
    'a future start': [{ iat: seconds() + 120, exp: seconds() + 300 }, /iat is in the future/],
    'a later start': [{ nbf: seconds() + 120 }, /nbf is/],
    'no expiry': [{ exp: undefined }, /exp must be/],
    'no viewer': [{ sub: '' }, /sub must name the viewer/],
    'a viewer whom no address can name': [{ sub: '..' }, /sub must name the viewer/],
    'attributes of another type': [{ attributes: null }, /attributes must be/],
    'queries of another type': [{ queries: 'QD_Own_Demo' }, /queries must be/],
    'values of another type': [{ values: [] }, /values must be/],
  };
  test.each(Object.entries(cases))('%s', async (_name, [claims, reason]) => {
    const refused = await run({ ...sized, ...claims });
    const { code, detail } = problemOf(refused);
    expect([refused.status, code]).toEqual([401, 'credential_invalid']);
    expect(detail).toMatch(reason);
    const token = await host.tokenOf('ana', { ...sized, ...claims });
    const { message } = await mcpOf(service).refusal('execute_query', { queryName: own }, bearer(token));
    expect(message).toMatch(reason);
    expect(message).not.toMatch(/slc_|API key|unauthorized/i);
  });

  test('an embed shows the reason to the developer who embeds the chart', async () => {
    const { Token } = await embedOf(root, { queryName: own, viewer: 'signed', open: '@Size' });
    const page = await view(service.as(), Token, `&viewer=${await host.tokenOf('ana', { ...sized, aud: 'https://x.example' })}`);
    expect([page.status, page.text]).toEqual([401, expect.stringContaining('aud must be &quot;http://127.0.0.1')]);
    const unknown = await view(service.as(), Token, `&viewer=${await host.tokenOf('ana')}`);
    expect([unknown.status, unknown.text]).toEqual([403, expect.stringContaining('user.attributes.team is missing')]);
  });

  test('a clock that is a little ahead is tolerated', async () => {
    expect((await run({ ...sized, iat: seconds() + 20, nbf: seconds() + 20 })).status).toBe(200);
  });

  test('the message about a missing attribute names the token, not an account', async () => {
    const refused = await run({ values: { '@Size': 'small' } });
    expect([refused.status, problemOf(refused).code]).toEqual([403, 'caller_attribute_missing']);
    expect(problemOf(refused).detail).toMatch(/user\.attributes\.team of the viewer/);
  });
});

describe('a fixed value', () => {
  test('cannot be chosen by another spelling, where names differ only in case', async () => {
    const { queryName } = await publish(root, {
      name: 'Twins',
      sql: 'select @Size as one, @size as other',
      parameters: ['@Size', '@size'].map((name) => ({ name, dataType: 'nvarchar', default: 'default' })),
    });
    const claims = { values: { SIZE: 'fixed' } };
    expect((await expectStatus(run(claims, queryName), 200)).json.Data).toEqual([{ one: 'fixed', other: 'fixed' }]);
    for (const ParameterName of ['@Size', '@size'])
      expect((await run(claims, queryName, [{ ParameterName, Value: 'mine' }])).status).toBe(400);
  });

  test('is in no description of the query', async () => {
    const viewer = await host.as('ana', sized);
    const parameters = await viewer.call('GET', `/api/v1/JsonBuilder/GetQueryParameters?queryName=${own}`);
    const headers = bearer(await host.tokenOf('ana', sized));
    const texts = [
      parameters.text,
      JSON.stringify(await mcpOf(service).tool('get_query_parameters', { queryName: own }, headers)),
      JSON.stringify((await mcpOf(service).tool('get_query_detail', { queryName: own }, headers)).parameters),
      (await viewer.call('GET', '/api/v1/openapi.json')).text,
    ];
    for (const text of texts) {
      expect(text).toMatch(/"@?Color"/);
      expect(text).not.toMatch(/"@?Size"/);
    }
    const listed = await mcpOf(service).tool('list_queries', { search: 'Own' }, headers);
    expect(listed.queries).toMatchObject([{ queryName: own, parameterCount: 1 }]);
    const refused = await mcpOf(service).refusal('execute_query', { queryName: own, parameters: { '@Colour': 'x' } }, headers);
    expect(refused.message).toContain('@Color');
    expect(refused.message).not.toContain('@Size');
  });

  test('has its own OpenAPI document for each viewer', async () => {
    const document = async (claims: Record<string, unknown>, etag = '') =>
      (await host.as('ana', claims)).call('GET', '/api/v1/openapi.json', undefined, { 'If-None-Match': etag });
    const etag = (await document(team)).headers.get('etag') ?? '';
    expect(etag).not.toBe('');
    expect((await document(team, etag)).status).toBe(304);
    expect((await document(sized, etag)).status).toBe(200);
  });
});

describe('a version that a viewer names', () => {
  const openTo = 'nvarchar';
  async function publishVersions(name: string, parameters: readonly (readonly unknown[])[]): Promise<string> {
    const { id, queryName } = await publish(root, {
      name,
      sql: 'select @Team as team, @Size as size',
      parameters: parameters[0] ?? [],
    });
    for (const next of parameters.slice(1)) {
      await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, { parameters: next }), 200);
      for (const move of ['validate', 'activate']) await expectStatus(root.call('POST', `/api/v1/queries/${id}/${move}`), 200);
    }
    return queryName;
  }
  const free = (name: string) => ({ name, dataType: openTo, default: 'everybody' });
  const bound = { name: '@Team', dataType: openTo, boundTo: 'user.attributes.team' };

  test('runs if it restricts the rows as the current one does, also for a token that is cut to the query', async () => {
    const queryName = await publishVersions('Same', [
      [bound, free('@Size')],
      [bound, { ...free('@Size'), default: 'now' }],
    ]);
    const claims = { ...team, queries: [queryName] };
    expect((await expectStatus(run(claims, `${queryName}@1`), 200)).json.Data).toEqual([{ team: 'red', size: 'everybody' }]);
    expect((await run({ ...team, queries: [`${queryName}@1`] }, `${queryName}@1`)).status).toBe(403);
    expect((await run({ ...team, queries: [own] }, `${queryName}@1`)).status).toBe(403);
  });

  test('is refused if it is not bound to the viewer, and the current one is', async () => {
    const queryName = await publishVersions('Bound later', [
      [free('@Team'), free('@Size')],
      [bound, free('@Size')],
    ]);
    const named = [{ ParameterName: '@Team', Value: 'blue' }];
    expect((await run(team, `${queryName}@1`, named)).status).toBe(403);
    const token = await host.tokenOf('ana', team);
    const path = `${service.url}/data/${queryName}@1.csv?Team=blue`;
    expect((await fetch(path, { headers: bearer(token) })).status).toBe(403);
    expect((await mcpOf(service).refusal('execute_query', { queryName: `${queryName}@1` }, bearer(token))).code).toBe(40301);
    expect((await run(team, queryName)).status).toBe(200);
    const { key } = await host.createKey();
    expect((await service.as({ key }).run(`${queryName}@1`, named)).status, 'the application itself').toBe(200);
  });

  test('is refused if a fixed value has no parameter there', async () => {
    const { id, queryName } = await publish(root, { name: 'Filtered later', sql: "select 'everything' as what" });
    const change = { sql: 'select @Size as what', parameters: [free('@Size')] };
    await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, change), 200);
    for (const move of ['validate', 'activate']) await expectStatus(root.call('POST', `/api/v1/queries/${id}/${move}`), 200);
    expect((await run(sized, `${queryName}@1`)).status).toBe(403);
    expect((await run(team, `${queryName}@1`)).status).toBe(200);
  });

  test('of an embed is the choice of its issuer', async () => {
    const sql = "select 'then ' || @Team as label, 1 as value";
    const { id, queryName } = await publish(root, { name: 'Embedded version', sql, parameters: [free('@Team')] });
    const { Token } = await embedOf(root, { queryName: `${queryName}@1`, viewer: 'signed' });
    await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, { parameters: [bound] }), 200);
    for (const move of ['validate', 'activate']) await expectStatus(root.call('POST', `/api/v1/queries/${id}/${move}`), 200);
    const page = await view(service.as(), Token, `&viewer=${await host.tokenOf('ana', team)}`);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('then everybody')]);
  });
});
