import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '../../src/connectors/engines.ts';
import { createDatabase, execute, postgresProblem } from '../support/databases/postgres.ts';
import { type Canaries, createCanaries, filesBelow } from '../support/faults/canaries.ts';
import { reportFigure } from '../support/faults/figure.ts';
import { mcpOf } from '../support/http/mcp.ts';
import {
  authorizeUrl,
  CALLBACK,
  createApplication,
  createVerifier,
  decide,
  openBrowser,
  openConsent,
  redeem,
  refresh,
  send,
  tokensOf,
} from '../support/people/oauth.ts';
import { type EmbedLink, embedOf, view } from '../support/queries/embeds.ts';
import { type DataLink, linkOf, pathOf } from '../support/queries/links.ts';
import { publish } from '../support/queries/publish.ts';
import { createWorkspace, type Workspace, type ServiceProcess } from '../support/services/process.ts';
import { type ApiResponse, type Caller, callerOf, type TestCredential } from '../support/services/service.ts';

// the long form runs on PostgreSQL metadata as well: TEST_METADATA=both
const stores = process.env.TEST_METADATA === 'both' ? (['SQLite', 'PostgreSQL'] as const) : (['SQLite'] as const);

describe.each(stores)('secrets in every flow, on %s', (store) => {
  const canaries: Canaries = createCanaries();
  const bodies: { what: string; text: string; except: readonly string[] }[] = [];
  let workspace: Workspace;
  let service: ServiceProcess;
  let metadata: string | null;
  let root: Caller;
  const passwords = { admin: canaries.make('password of the administrator'), user: canaries.make('password of a user') };
  const environment = {
    SLUICE_ADMIN_PASSWORD: passwords.admin,
    SLUICE_METRICS_TOKEN: canaries.make('token for metrics'),
    SLUICE_BACKUP_PASSPHRASE: canaries.make('passphrase of backups'),
    SLUICE_LOG_LEVEL: 'trace',
  };
  beforeAll(async () => {
    workspace = await createWorkspace();
    metadata = store === 'PostgreSQL' ? await createDatabase() : null;
    service = await workspace.start({ ...environment, ...(metadata === null ? {} : { SLUICE_METADATA_URL: metadata }) });
    root = as({ username: 'admin', password: passwords.admin });
  });
  afterAll(() => workspace?.remove());

  /** A caller whose responses are recorded; `except` names secrets that a response shows once, on purpose. */
  function as(credential?: TestCredential, except: readonly string[] = []): Caller {
    const caller = callerOf(() => service.url, credential);
    const call: Caller['call'] = async (method, path, body, headers) => {
      const response = await caller.call<never>(method, path, body, headers);
      bodies.push({ what: `${method} ${path.split('?')[0]}: ${response.status}`, text: shown(response), except });
      return response;
    };
    return {
      call,
      run: (QueryName, Parameters = [], headers = {}) =>
        call('POST', '/api/v1/JsonBuilder/ExecuteQuery', { QueryName, Parameters }, headers),
    };
  }
  const shown = ({ text, headers }: ApiResponse): string =>
    text + JSON.stringify([...headers].filter(([name]) => name !== 'set-cookie'));

  test('passwords: set, mistyped, changed', async () => {
    const user = { username: 'someone', password: passwords.user };
    await status(201, root.call('POST', '/api/v1/users', { ...user, roles: ['Query User'], databases: ['*'] }));
    const mistaken = canaries.make('mistaken password');
    for (const caller of [as({ ...user, password: mistaken }), as({ username: 'nobody', password: mistaken })]) {
      await status(401, caller.call('GET', '/api/v1/account'));
    }
    await status(401, as().call('POST', '/api/v1/session', { ...user, password: mistaken }));
    await status(400, as().call('POST', '/api/v1/session', { username: 7, password: mistaken }));
    await status(400, as().call('POST', '/api/v1/session', `{"username":"someone","password":"${mistaken}`));
    const next = canaries.make('new password');
    await status(400, as(user).call('PUT', '/api/v1/account/password', { currentPassword: mistaken, newPassword: next }));
    await status(204, as(user).call('PUT', '/api/v1/account/password', { currentPassword: user.password, newPassword: next }));
    await status(401, as(user).call('GET', '/api/v1/account'));
    await status(200, as({ ...user, password: next }).call('GET', '/api/v1/account'));
    const session = await as().call('POST', '/api/v1/session', { username: 'someone', password: next });
    const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? '';
    canaries.keep('session', cookie.split('=')[1] ?? '');
    await status(200, as({ cookie }).call('GET', '/api/v1/session'));
    await status(204, as({ cookie }).call('DELETE', '/api/v1/session'));
    await status(401, as({ cookie }).call('GET', '/api/v1/session'));
  });

  test('keys: created, used at every door, mistyped, revoked', async () => {
    const made = await as({ username: 'admin', password: passwords.admin }, ['key']).call<{ id: string; key: string }>(
      'POST',
      '/api/v1/account/api-keys',
      { name: 'canary' },
    );
    canaries.keep('key', made.json.key.slice(13)); // lists show the part before it
    const { queryName } = await publish(root, { name: 'One', sql: 'select 1 as n' });
    await status(200, as({ key: made.json.key }).run(queryName));
    await as().run(queryName, [], { Authorization: `Bearer ${made.json.key}` });
    await status(401, as({ key: `${made.json.key}x` }).run(queryName));
    await status(401, as({ username: made.json.key, password: '' }).run(queryName));
    const mcp = mcpOf(service, made.json.key);
    for (const sent of [{ queryName }, { queryName: 'none' }, { wrong: made.json.key }, { queryName: made.json.key }]) {
      const { text } = await mcp.call('execute_query', sent);
      bodies.push({ what: 'execute_query', text, except: [] });
    }
    await status(204, root.call('DELETE', `/api/v1/account/api-keys/${made.json.id}`));
    await status(401, as({ key: made.json.key }).run(queryName));
  });

  test('database credentials: saved, changed, wrong, unreachable', async () => {
    for (const { kind } of engines.filter(({ connection }) => connection !== 'file')) {
      const password = canaries.make(`password of ${kind}`);
      const tls = { rejectUnauthorized: false }; // some engines accept passwords over TLS only
      const connection = { host: '127.0.0.1', port: 1, user: 'u', password, database: 'd', tls };
      const made = await root.call<{ id: string }>('POST', '/api/v1/databases', { name: kind, kind, connection });
      expect([kind, made.status]).toEqual([kind, 201]);
      for (const [path, body] of [
        [`/${made.json.id}/test`, undefined],
        ['/test', { name: 'x', kind, connection }],
      ] as const)
        expect((await root.call('POST', `/api/v1/databases${path}`, body)).json).toMatchObject({
          message: expect.stringContaining('Nothing accepts connections at this host and port'),
          detail: expect.any(String),
        });
      await root.call('GET', `/api/v1/databases/${made.json.id}`);
      await root.call('GET', `/api/v1/databases/${made.json.id}/schema`);
      await root.call('PATCH', `/api/v1/databases/${made.json.id}`, {
        connection: { ...connection, host: 'localhost', password: undefined },
      });
      await root.call('PATCH', `/api/v1/databases/${made.json.id}`, { connection: { ...connection, port: password } });
    }
    if (postgresProblem() !== null) return;
    const { hostname, port } = new URL(await createDatabase());
    const connection = {
      host: hostname,
      port: Number(port),
      user: 'postgres',
      password: canaries.make('wrong password'),
      database: 'postgres',
    };
    const tried = await root.call('POST', '/api/v1/databases/test', { name: 'Wrong', kind: 'postgres', connection });
    expect(tried.json).toMatchObject({ ok: false });
  });

  test('masked values: bound, refused, failing, embedded, previewed', async () => {
    const value = canaries.make('masked value');
    const parameters = [
      { name: '@Pin', dataType: 'nvarchar(100)', required: false, masked: true },
      { name: '@Number', dataType: 'int', required: false, masked: true },
    ];
    const sql = "select 'a' as label, length(@Pin) as value, @Number as number";
    const { queryName, id } = await publish(root, { name: 'Masked', sql, parameters });
    const pin = [{ ParameterName: '@Pin', Value: value }];
    const page = await root.run(queryName, pin);
    expect(page.json.Data).toEqual([{ label: 'a', value: value.length, number: null }]);
    await status(
      400,
      as({ username: 'admin', password: passwords.admin }, ['masked value']).run(queryName, [
        { ParameterName: '@Number', Value: value },
      ]),
    );
    await root.call('POST', '/api/v1/Export/ExecuteQuery?format=csv', { QueryName: queryName, Parameters: pin });
    const failing = await publish(root, {
      name: 'Fails',
      sql: 'select cast(@Pin as integer) as n',
      parameters: parameters.slice(0, 1),
    });
    await status(500, root.run(failing.queryName, pin));
    const late = 'select i, case when i = 5000 then cast(@Pin as integer) end as n from range(10000) t(i)';
    const breaking = await publish(root, { name: 'Breaks', sql: late, parameters: parameters.slice(0, 1) });
    await root.call('POST', '/api/v1/Export/CreateLink?format=csv', { QueryName: breaking.queryName, Parameters: pin });
    await root.call('POST', '/api/v1/queries/preview', { database: 'Demo', sql, parameters, values: pin });
    await root.call('GET', `/api/v1/queries/${id}`);
    const link: EmbedLink = await embedOf(as({ username: 'admin', password: passwords.admin }, ['embed']), {
      queryName,
      parameters: JSON.stringify([{ ParameterName: '@Pin', Value: canaries.make('value in an embed') }]),
    });
    canaries.keep('embed', link.Token);
    expect((await as().call('GET', `/api/v1/EmbeddedChart/RenderByToken?token=${link.Token}`)).status).toBe(200);
    await view(as(), `${link.Token.slice(0, -1)}x`);
    await as({ username: 'admin', password: passwords.admin }, ['embed']).call('GET', '/api/v1/embeds'); // visible to its owner
    const renewed = await callerOf(() => service.url, { username: 'admin', password: passwords.admin }).call<EmbedLink>(
      'POST',
      `/api/v1/embeds/${link.Id}/regenerate`,
    );
    canaries.keep('embed, renewed', renewed.json.Token);
    await view(as(), link.Token);
    await view(as(), renewed.json.Token);
  });

  test('download links: created, used, changed', async () => {
    const { queryName } = await publish(root, { name: 'Linked', sql: 'select 1 as n' });
    const plain = callerOf(() => service.url, { username: 'admin', password: passwords.admin });
    const body = { QueryName: queryName, Parameters: [] };
    const link = await plain.call<{ downloadUrl: string }>('POST', '/api/v1/Export/CreateLink?format=csv', body);
    const { pathname, search, searchParams } = new URL(link.json.downloadUrl);
    canaries.keep('download', searchParams.get('token') ?? '');
    await status(200, as().call('GET', pathname + search));
    await as().call('GET', `${pathname}${search}x`);
  });

  test('data links: created, read, renewed, altered', async () => {
    const { queryName } = await publish(root, {
      name: 'Data link',
      sql: 'select length(@Pin) as n',
      parameters: [{ name: '@Pin', dataType: 'nvarchar(100)', required: true, masked: true }],
    });
    const plain = callerOf(() => service.url, { username: 'admin', password: passwords.admin });
    const tokenOf = ({ url }: DataLink): string => new URL(url).pathname.split('/')[2] ?? '';
    const link = await linkOf(plain, { queryName, parameters: { Pin: canaries.make('value in a data link') } });
    canaries.keep('data link', tokenOf(link));
    await status(200, as().call('GET', pathOf(link)));
    await as().call('GET', pathOf(link).replace('.csv', '.json'));
    await as().call('GET', pathOf(link).replace(tokenOf(link), `${tokenOf(link).slice(0, -1)}x`));
    const renewed = await plain.call<DataLink>('POST', `/api/v1/links/${link.id}/regenerate`);
    canaries.keep('data link, renewed', tokenOf(renewed.json));
    await status(401, as().call('GET', pathOf(link)));
    await status(200, as().call('GET', pathOf(renewed.json)));
  });

  test('AI applications: registered, connected, refreshed, mistyped, ended', async () => {
    const record = async (what: string, response: Response): Promise<void> =>
      void bodies.push({ what, text: await response.text(), except: [] });
    const person = { username: 'admin', password: passwords.admin };
    const own = await createApplication(service, { token_endpoint_auth_method: 'client_secret_basic' });
    const byAdministrator = { name: 'Canary', redirectUris: [CALLBACK], tokenEndpointAuthMethod: 'client_secret_basic' };
    const { json } = await as(person, ['secret of a registered application']).call<{ clientId: string; clientSecret: string }>(
      'POST',
      '/api/v1/oauth/clients',
      byAdministrator,
    );
    canaries.keep('secret of an application', own.secret ?? '');
    canaries.keep('secret of a registered application', json.clientSecret);
    for (const application of [own, { clientId: json.clientId, secret: json.clientSecret, redirectUri: CALLBACK }]) {
      const browser = await openBrowser(service, person);
      const verifier = createVerifier();
      canaries.keep(`verifier, ${application.clientId}`, verifier);
      const id = await openConsent(browser, authorizeUrl(service, application, verifier));
      const code = (await decide(service, browser, id)).searchParams.get('code') ?? '';
      canaries.keep(`code, ${application.clientId}`, code);
      await record('another verifier', await redeem(service, application, code, createVerifier()));
      const again = await openConsent(browser, authorizeUrl(service, application, verifier));
      const second = (await decide(service, browser, again)).searchParams.get('code') ?? '';
      const tokens = await tokensOf(redeem(service, application, second, verifier));
      const next = await tokensOf(refresh(service, application, tokens.refresh_token));
      for (const [name, value] of Object.entries({ first: tokens, next })) {
        canaries.keep(`access token, ${name}, ${application.clientId}`, value.access_token);
        canaries.keep(`refresh token, ${name}, ${application.clientId}`, value.refresh_token);
      }
      for (const token of [next.access_token, `${next.access_token}x`, next.refresh_token]) {
        await record('list_queries', await send(service, token, 'tools/call', { name: 'list_queries', arguments: {} }));
        await as().run('QD_Customers_Demo', [], { Authorization: `Bearer ${token}` });
      }
      await record('another secret', await refresh(service, { ...application, secret: own.secret ?? '' }, next.refresh_token));
      await record('used again', await refresh(service, application, tokens.refresh_token));
    }
    await root.call('GET', '/api/v1/account/applications');
    await root.call('GET', '/api/v1/oauth/clients');
  });

  test('operator endpoints', async () => {
    const metrics = { Authorization: `Bearer ${environment.SLUICE_METRICS_TOKEN}` };
    await as().call('GET', '/metrics', undefined, metrics);
    for (const path of [
      'settings',
      'users?limit=1000',
      'databases?limit=1000',
      'queries?limit=1000',
      'executions',
      'account/api-keys',
    ]) {
      await status(200, root.call('GET', `/api/v1/${path}`));
    }
    await as().call('GET', '/openapi.json');
    const backup = workspace.run(['backup', 'copy.sluice'], {
      ...environment,
      ...(metadata === null ? {} : { SLUICE_METADATA_URL: metadata }),
    });
    await backup.ended;
    bodies.push({ what: 'sluice backup', text: backup.stdout() + backup.stderr(), except: [] });
    await root.call('GET', '/api/v1/audit?limit=1000');
  });

  test('appear in no response, audit entry, log line, file or row of the store', async () => {
    expect
      .soft(
        bodies
          .filter(({ text, except }) => canaries.findIn(text, except).length > 0)
          .map(({ what, text, except }) => ({ what, found: canaries.findIn(text, except) })),
      )
      .toEqual([]);
    const lines = (service.stdout() + service.stderr()).split('\n');
    expect(lines.length).toBeGreaterThan(3);
    expect.soft(lines.filter((line) => canaries.findIn(line).length > 0)).toEqual([]);
    await service.stop();
    // the store contains the values that an embed binds, like its SQL
    const inStore = ['value in an embed'];
    const files = filesBelow(workspace.folder).filter(({ path }) => !path.endsWith('/secret'));
    expect(files.some(({ path }) => path.endsWith('copy.sluice'))).toBe(true);
    expect
      .soft(
        files
          .map(({ path, bytes }) => ({ path, found: canaries.findIn(bytes, inStore) }))
          .filter(({ found }) => found.length > 0),
      )
      .toEqual([]);
    if (metadata !== null) {
      const tables = await execute(metadata, "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'");
      for (const { name } of tables)
        expect.soft(canaries.findIn(JSON.stringify(await execute(metadata, `select * from ${name}`)), inStore)).toEqual([]);
    }
    reportFigure(
      13,
      `${store}: ${canaries.count()} secrets, ${bodies.length} answers, ${lines.length} log lines at level trace, ${files.length} files: none found`,
    );
  });
});

async function status(expected: number, response: Promise<ApiResponse<unknown>>): Promise<void> {
  const { status: got, text } = await response;
  if (got !== expected) throw new Error(`expected ${expected}, got ${got}: ${text.slice(0, 500)}`);
}
