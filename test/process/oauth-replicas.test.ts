import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, postgresProblem } from '../support/databases/postgres.ts';
import { freePort } from '../support/http/free-port.ts';
import { createQueryUser } from '../support/people/accounts.ts';
import {
  authorizeUrl,
  CALLBACK,
  connect,
  createApplication,
  createRegistered,
  createVerifier,
  decide,
  errorOf,
  openBrowser,
  openConsent,
  redeem,
  refresh,
  send,
  tokensOf,
} from '../support/people/oauth.ts';
import { generations, SdkApplication, type SdkClient } from '../support/people/sdk-application.ts';
import { publish } from '../support/queries/publish.ts';
import { type Balancer, startBalancer } from '../support/services/balancer.ts';
import { copyDemo, createWorkspace, type Workspace } from '../support/services/process.ts';
import { admin, type Caller, callerOf, expectStatus, type List } from '../support/services/service.ts';

interface Replica {
  readonly url: string; // of this replica; its settings have that of the balancer
  readonly root: Caller;
}

describe.skipIf(postgresProblem() !== null)('the sign-in of AI applications at two replicas', () => {
  let workspace: Workspace;
  let balancer: Balancer; // sends requests to the replicas in turn
  let one: Replica;
  let other: Replica;
  let root: Caller;
  let numbers: string;
  beforeAll(async () => {
    workspace = await createWorkspace({ demo: false });
    let turn = 0;
    balancer = await startBalancer([], (count) => turn++ % count);
    const shared = {
      SLUICE_METADATA_URL: await createDatabase(),
      SLUICE_SECRET: Buffer.alloc(32, 'the secret of both replicas').toString('base64'),
      SLUICE_BASE_URL: balancer.url,
      SLUICE_ALLOWED_HOSTS: '127.0.0.1',
    };
    const start = async (name: string): Promise<Replica> => {
      const [folder, port] = [join(workspace.folder, name), await freePort()];
      await copyDemo(folder);
      await workspace.start({ ...shared, SLUICE_DATA: folder, SLUICE_PORT: String(port) });
      const url = `http://127.0.0.1:${port}`;
      return { url, root: callerOf(() => url, admin) };
    };
    [one, other] = await Promise.all([start('one'), start('other')]);
    for (const { url } of [one, other]) balancer.add(url);
    root = callerOf(() => balancer.url, admin);
    numbers = (await publish(root, { name: 'Numbers', sql: 'select * from range(5) as t(n)' })).queryName;
  }, 180_000);
  afterAll(async () => {
    await balancer?.close();
    await workspace?.remove();
  });

  const users = { as: () => root };
  const statusAt = async ({ url }: Replica, token: string | undefined): Promise<number> =>
    (await send({ url }, token, 'tools/list')).status;
  const statuses = async (token: string | undefined): Promise<number[]> => [
    await statusAt(one, token),
    await statusAt(other, token),
  ];
  const applicationsAt = async (replica: Replica) =>
    (await replica.root.call<List<{ id: string }>>('GET', '/api/v1/account/applications')).json.items;

  test.each(generations)('%s: uses both, and ends at both when the access is ended at one', async (generation) => {
    const application = new SdkApplication({ url: `${balancer.url}/mcp/oauth`, generation, redirectUrl: CALLBACK });
    const asked = await application.connect();
    if (!(asked instanceof URL)) throw new Error('connected without a person');
    const browser = await openBrowser(balancer);
    const back = await decide(balancer, browser, await openConsent(browser, asked.href));
    await application.finish(back.searchParams);
    const client = await application.connect();
    if (client instanceof URL) throw new Error('not connected');
    const call = (connected: SdkClient) => connected.callTool({ name: 'execute_query', arguments: { queryName: numbers } });
    // one call to each replica, so that both have cached the token
    for (const _ of ['one', 'other'])
      expect(await call(client)).toMatchObject({ structuredContent: { Data: [{ n: 0 }, {}, {}, {}, {}] } });
    const token = application.tokens()?.access_token;
    expect(await statuses(token)).toEqual([200, 200]);

    const [ending, refusing] = generation === generations[0] ? [one, other] : [other, one];
    const [grant] = await applicationsAt(refusing);
    await expectStatus(ending.root.call('DELETE', `/api/v1/account/applications/${grant?.id}`), 204);
    expect(await statusAt(refusing, token)).toBe(401);
    expect(await statusAt(ending, token)).toBe(401);
    expect(await applicationsAt(refusing)).toEqual([]);
    const again = await call(client).catch((error: unknown) => application.asked(error));
    expect(again).toBeInstanceOf(URL); // the refresh token was refused, too
    await client.close();
  });

  test('ends at both when the application or the user is removed at one', async () => {
    const registered = await createRegistered(users);
    const first = await connect(balancer, registered);
    const person = await createQueryUser(users, 'leaving');
    const second = await connect(balancer, await createApplication(balancer), { user: person.credential });
    expect([await statuses(first.access_token), await statuses(second.access_token)]).toEqual([
      [200, 200],
      [200, 200],
    ]);
    await expectStatus(one.root.call('DELETE', `/api/v1/oauth/clients/${registered.id}`), 204);
    expect(await statusAt(other, first.access_token)).toBe(401);
    expect(await errorOf(refresh(other, registered, first.refresh_token))).toEqual([401, 'invalid_client']);
    await expectStatus(other.root.call('PATCH', `/api/v1/users/${person.id}`, { disabled: true }), 200);
    expect(await statusAt(one, second.access_token)).toBe(401);
  });

  test('refuses a refresh token or a code that was used at the other', async () => {
    const application = await createApplication(balancer);
    const tokens = await connect(balancer, application);
    const next = await tokensOf(refresh(one, application, tokens.refresh_token));
    expect(await statuses(next.access_token)).toEqual([200, 200]);
    expect(await errorOf(refresh(other, application, tokens.refresh_token))).toEqual([400, 'invalid_grant']);
    expect(await statuses(next.access_token)).toEqual([401, 401]);

    const browser = await openBrowser(balancer);
    const verifier = createVerifier();
    const id = await openConsent(browser, authorizeUrl(balancer, application, verifier));
    const code = (await decide(balancer, browser, id)).searchParams.get('code') ?? '';
    const redeemed = await tokensOf(redeem(one, application, code, verifier));
    expect(await errorOf(redeem(other, application, code, verifier))).toEqual([400, 'invalid_grant']);
    expect(await statuses(redeemed.access_token)).toEqual([401, 401]);
  });
});
