import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countDataExecutions } from '../support/audit-entries.ts';
import { createDatabase, execute, postgresProblem } from '../support/databases/postgres.ts';
import { sendAtOnce } from '../support/http/at-once.ts';
import { createKey } from '../support/people/accounts.ts';
import { linkOf, pathOf } from '../support/queries/links.ts';
import { publish } from '../support/queries/publish.ts';
import { type S3Server, startS3 } from '../support/services/s3-server.ts';
import { admin, type Caller, expectStatus, startTestService, type TestService } from '../support/services/service.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Two services on one PostgreSQL, with one data folder or an object store. */
describe.skipIf(postgresProblem() !== null).each(['one folder', 'an object store'])(
  'rows by GET of two replicas with %s',
  (storage) => {
    let s3: S3Server | null = null;
    let here: TestService;
    let there: TestService;
    let root: Caller;
    let key: string;
    let database: string;
    const names = new Map<string, string>();
    beforeAll(async () => {
      const url = await createDatabase();
      database = await createDatabase();
      s3 = storage === 'an object store' ? await startS3() : null;
      Object.assign(process.env, s3?.settings);
      const settings = { SLUICE_METADATA_URL: url, ...s3?.settings, SLUICE_SECRET: randomBytes(32).toString('base64') };
      here = await startTestService(settings);
      there = await startTestService(s3 === null ? { ...settings, SLUICE_DATA: here.folder } : settings);
      root = here.as(admin);
      ({ key } = await createKey(root));
      const { hostname: host, port, username: user, password, pathname } = new URL(database);
      const connection = { host, port: Number(port), user, password, database: pathname.slice(1) };
      await expectStatus(root.call('POST', '/api/v1/databases', { name: 'Live', kind: 'postgres', connection }), 201);
      for (const [name, seconds] of [
        ['moment', 1],
        ['long', 20],
      ] as const) {
        const sql = `select clock_timestamp() as at, pg_sleep(${seconds})::text as slept`;
        names.set(name, (await publish(root, { name, sql, database: 'Live' })).queryName);
      }
    });
    afterAll(async () => {
      await there?.close();
      await here?.close();
      for (const name of Object.keys(s3?.settings ?? {})) delete process.env[name];
      await s3?.remove();
    });
    const read = async (service: TestService, path: string, headers: Record<string, string> = {}, signal?: AbortSignal) => {
      const response = await fetch(service.url + path, { headers, ...(signal === undefined ? {} : { signal }) });
      return { status: response.status, text: await response.text(), etag: response.headers.get('etag') };
    };
    const listRunning = async () => {
      const active =
        "select pid from pg_stat_activity where state = 'active' and query like '%pg_sleep%' and query not like '%pg_stat%'";
      return (await execute(database, active)).map(({ pid }) => pid);
    };

    it('run one execution for fifty simultaneous readers of a link', async () => {
      const path = pathOf(await linkOf(root, { queryName: names.get('moment') }));
      const urls = Array.from({ length: 50 }, (_, index) => ({ url: (index % 2 === 0 ? here : there).url + path }));
      const answers = await sendAtOnce(urls);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(await countDataExecutions(root, names.get('moment') ?? '')).toBe(1);
    });

    it('refuse a link on both at the moment it is revoked', async () => {
      const link = await linkOf(root, { queryName: names.get('moment'), format: 'parquet' });
      const both = (more = {}) =>
        Promise.all([here, there].map(async (service) => (await read(service, pathOf(link), more)).status));
      expect(await both()).toEqual([200, 200]);
      await expectStatus(there.as(admin).call('DELETE', `/api/v1/links/${link.id}`), 204);
      expect(await both()).toEqual([401, 401]);
      expect(await both({ Range: 'bytes=0-3' })).toEqual([401, 401]);
    });

    it('serve ranges of the file that the other has written', async () => {
      const path = `/data/${names.get('moment')}.parquet`;
      const headers = { 'X-API-Key': key };
      const head = await fetch(here.url + path, { method: 'HEAD', headers });
      const part = await read(there, path, { ...headers, Range: 'bytes=0-3' });
      expect([part.status, part.text, part.etag]).toEqual([206, 'PAR1', head.headers.get('etag')]);
    });

    it('take over the execution when the reader at the other one disconnects', async () => {
      const path = `/data/${names.get('long')}.csv`;
      const headers = { 'X-API-Key': key };
      const [first, second] = [new AbortController(), new AbortController()];
      const one = read(here, path, headers, first.signal).catch(() => null);
      await waitUntil(listRunning, ({ length }) => length === 1);
      const two = read(there, path, headers, second.signal).catch(() => null);
      await new Promise((resolve) => setTimeout(resolve, 500));
      const [ran] = await waitUntil(listRunning, ({ length }) => length === 1); // the other waits
      first.abort();
      await one;
      await waitUntil(listRunning, (pids) => pids.length === 1 && pids[0] !== ran); // the other runs it
      second.abort();
      await two;
      await waitUntil(listRunning, ({ length }) => length === 0);
    });
  },
);
