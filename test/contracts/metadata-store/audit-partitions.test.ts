import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditFilter } from '../../../src/audit/audit-entry.ts';
import type { MetadataStore, PartitionRequest } from '../../../src/store/metadata-store.ts';
import { migrations } from '../../../src/store/sql/migrations/index.ts';
import { statementsOf } from '../../../src/store/sql/migrations/migration.ts';
import { openPostgresStore } from '../../../src/store/sql/postgres/postgres-store.ts';
import { createDatabase, execute, postgresProblem } from '../../support/databases/postgres.ts';
import { auditEntry } from './fixtures.ts';

const DAY = 86_400_000;
const monthOf = (at: number, later = 0): number => {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
};
const tableOf = (at: number): string => `audit_${new Date(at).toISOString().slice(0, 7).replace('-', '_')}`;

describe.skipIf(postgresProblem() !== null)(`the audit table in PostgreSQL ${postgresProblem() ?? ''}`, () => {
  let url: string;
  let store: MetadataStore;
  beforeEach(async () => {
    url = await createDatabase();
  });
  afterEach(() => store.close());

  const now = Date.now();
  const partitions = async () =>
    (await execute(url, 'select name from audit_partitions() order by next_at')).map(({ name }) => name);
  const keep = (request: Partial<PartitionRequest> = {}) =>
    store.audit.keepPartitions?.({ at: now, dropBefore: null, onlyIfEmpty: false, ...request });
  const requests = async (filter: AuditFilter = {}, on = store): Promise<string[]> => {
    const found: string[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await on.audit.list(filter, { limit: 1000, ...(cursor === undefined ? {} : { cursor }) });
      found.push(...page.items.map(({ requestId }) => requestId));
      if (page.nextCursor === null) return found;
      cursor = page.nextCursor;
    }
  };

  const kind = async () => (await execute(url, "select relkind from pg_class where oid = 'audit'::regclass"))[0]?.relkind;
  /** Again while the table is in use for too long, like the housekeeping of the service. */
  const takeOver = async (): Promise<void> => {
    await expect
      .poll(async () => {
        await keep();
        return kind();
      })
      .toBe('p');
  };
  const newest = async () => (await store.audit.list({}, { limit: 1 })).items[0]?.requestId;

  it('has a partition for this month and the next two, and adds any other when an entry needs it', async () => {
    store = await openPostgresStore(url);
    expect(await partitions()).toEqual([0, 1, 2].map((later) => tableOf(monthOf(now, later))));
    const others = await Promise.all([1, 2].map(() => openPostgresStore(url)));
    const years = ['1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00Z', '2019-02-28T00:00:00Z', '2031-12-31T23:59:59.999Z'];
    const entries = years.map((year) => auditEntry({ at: Date.parse(year), requestId: year }));
    await Promise.all([store, ...others].map((each) => each.audit.append([...entries, auditEntry({ at: now })])));
    await store.transaction(({ audit }) => audit.append([auditEntry({ at: Date.parse('2032-02-29'), requestId: 'leap' })]));
    expect((await requests()).filter((id) => id === 'leap' || years.includes(id))).toEqual([
      'leap',
      ...years.toReversed().flatMap((year) => [year, year, year]),
    ]);
    expect(await requests({ to: 0 })).toEqual(Array.from({ length: 3 }, () => years[0]));
    await Promise.all([store, ...others].map(() => keep({ at: monthOf(now, 1) })));
    expect(await partitions()).toContain(tableOf(monthOf(now, 3)));
    await Promise.all(others.map((each) => each.close()));
  });

  it('drops whole months, then the rest of the month that the retention cuts', async () => {
    store = await openPostgresStore(url);
    const months = [-4, -3, -2, -1, 0].map((later) => monthOf(now, later));
    await store.audit.append(
      months.flatMap((month, index) =>
        Array.from({ length: 1000 }, (_, n) => auditEntry({ at: month + n, requestId: `m${index}n${n}x` })),
      ),
    );
    const cut = (months[2] ?? 0) + 500;
    await keep({ dropBefore: cut });
    expect(await partitions()).toEqual([-2, -1, 0, 1, 2].map((later) => tableOf(monthOf(now, later))));
    expect(await store.audit.deleteBefore(cut, 2000)).toBe(500);
    expect(await requests()).toHaveLength(2500);
    expect(await requests({ search: 'm2n700x' })).toEqual(['m2n700x']);
    expect(await requests({ search: 'm1n700x' })).toEqual([]);
    // the archive has to move entries before their month is dropped
    await keep({ dropBefore: monthOf(now), onlyIfEmpty: true });
    expect(await requests()).toHaveLength(2500);
    const seqs = (await store.audit.listOldest(monthOf(now, -1), { limit: 1000 })).map(({ seq }) => seq);
    await store.audit.delete(seqs);
    await keep({ dropBefore: monthOf(now), onlyIfEmpty: true });
    expect(await partitions()).toEqual([-1, 0, 1, 2].map((later) => tableOf(monthOf(now, later))));
    await store.audit.append([auditEntry({ at: 5, requestId: 'late' })]);
    expect((await requests()).at(-1)).toBe('late');
  });

  it('keeps a month while a reader holds the table, without blocking writers', async () => {
    store = await openPostgresStore(url);
    await store.audit.append([auditEntry({ at: 5 })]);
    const done = Promise.withResolvers<void>();
    const reading = store.transaction(async ({ audit }) => {
      await audit.list({}, { limit: 1 });
      await done.promise;
    });
    await expect.poll(() => execute(url, "select 1 from pg_locks where relation = 'audit'::regclass")).not.toEqual([]);
    const dropping = keep({ dropBefore: now });
    for (let call = 0; call < 20; call++) await store.audit.append([auditEntry({ at: now })]);
    await dropping;
    expect(await partitions()).toContain('audit_1970_01');
    done.resolve();
    await reading;
    await keep({ dropBefore: monthOf(now) });
    expect(await partitions()).not.toContain('audit_1970_01');
  });

  it.each([
    ['small', 100, 2_000],
    ['large', 10, 30_000],
  ])('takes over a %s table of an earlier version while it is used', async (size, fillFactor, count) => {
    await migrateBefore(url, '0016-audit-partitions');
    const first = now - 90 * DAY;
    await execute(url, `alter table audit set (fillfactor = ${fillFactor})`);
    await execute(url, entriesOf(count, `${first} + n`));
    const from = { at: now, requestId: 'during' };
    store = await openPostgresStore(url);
    const writer = await openPostgresStore(url);
    expect(await kind()).toBe(size === 'small' ? 'p' : 'r');
    let [over, written] = [false, 0];
    const writing = (async () => {
      for (; !over; written++) await writer.audit.append([auditEntry(from)]);
    })();
    await takeOver();
    over = true;
    await writing;
    expect(written).toBeGreaterThan(0);
    const [{ entries, seqs } = {}] = await execute(
      url,
      'select count(*)::int as entries, count(distinct seq)::int as seqs from audit',
    );
    expect([entries, seqs]).toEqual([count + written, count + written]);
    const latest = (await requests({ to: first + count + 1, from: first + count - 1 })).slice(0, 2);
    expect(latest).toEqual([`r${count}`, `r${count - 1}`]);
    expect(await requests({ requestId: 'r7' })).toEqual(['r7']);
    // entries go to the months that the old table does not cover
    await store.audit.append([auditEntry({ at: monthOf(now, 3), requestId: 'later' })]);
    expect((await partitions())[0]).toBe('audit_earlier');
    expect(await newest()).toBe('later');
    await writer.close();
  });

  it('accepts entries when the table was prepared but not partitioned before its bound', async () => {
    await migrateBefore(url, '0016-audit-partitions');
    await execute(url, 'alter table audit set (fillfactor = 10)');
    await execute(url, entriesOf(30_000, `${now - DAY}`));
    store = await openPostgresStore(url);
    await store.audit.append([auditEntry({ at: monthOf(now, 5), requestId: 'later' })]);
    expect(await newest()).toBe('later');
    await takeOver();
    expect(await newest()).toBe('later');
    expect(await partitions()).toContain('audit_earlier');
  });

  it('reads the partitions of a list by their indexes, and only those in its time', async () => {
    store = await openPostgresStore(url);
    const months = [-3, -2, -1, 0].map((later) => monthOf(now, later));
    await store.audit.append(months.map((at) => auditEntry({ at })));
    for (const month of months) await execute(url, entriesOf(month === months.at(-1) ? 25_000 : 5_000, `${month} + n`));
    await execute(url, 'vacuum analyze audit');
    await store.close();
    const scans = async () => {
      const statement = `select relname as name, seq_scan::int as seq, idx_scan::int as idx from pg_stat_user_tables
        where relname = any('{${months.map(tableOf).join()}}') order by relname`;
      return await execute(url, statement);
    };
    const countOtherSessions = async () => {
      const others = "datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'";
      return (await execute(url, `select count(*)::int as n from pg_stat_activity where ${others}`))[0]?.n;
    };
    const used = async (work: () => Promise<unknown>) => {
      const before = await scans();
      store = await openPostgresStore(url);
      await work();
      await store.close();
      await expect.poll(countOtherSessions).toBe(0); // a session that has ended has reported its scans
      const read = (each: Record<string, unknown>, index: number, name: string) =>
        Number(each[name]) - Number(before[index]?.[name]);
      return (await scans()).map((each, index) => [read(each, index, 'seq'), read(each, index, 'idx') > 0]);
    };
    const [, third = 0, , last = 0] = months;
    const all = [true, true, true, true].map((idx) => [0, idx]);
    const only = (...read: boolean[]) => read.map((idx) => [0, idx]);
    expect(await used(() => store.audit.list({}, { limit: 50 }))).toEqual(only(false, false, false, true));
    expect(await used(() => store.audit.list({ requestId: 'r7' }, { limit: 50 }))).toEqual(all);
    expect(await used(() => store.audit.list({ from: third, to: third + DAY }, { limit: 50 }))).toEqual(
      only(false, true, false, false),
    );
    for (const filter of [{ user: 'ann' }, { query: 'QD_x' }]) {
      expect(await used(() => store.audit.list({ ...filter, from: last }, { limit: 50 }))).toEqual(
        only(false, false, false, true),
      );
    }
    expect(await used(() => requests({ search: 'r24999', from: last }))).toMatchObject([[0, false], [0, false], [0, false], {}]);
    expect((await used(() => store.audit.deleteBefore(third, 100))).map(([seq]) => seq)).toEqual([0, 0, 0, 0]);
    store = await openPostgresStore(url);
  });

  it('finds a request by its id in a month without statistics', async () => {
    store = await openPostgresStore(url);
    const month = tableOf(monthOf(now));
    await execute(url, `alter table ${month} set (autovacuum_enabled = false)`);
    await execute(url, entriesOf(30_000, `${monthOf(now)} + n`));
    await store.close();
    const pagesByTime = async () => {
      const [row] = await execute(
        url,
        `select (idx_blks_hit + idx_blks_read)::int as pages from pg_statio_user_indexes where indexrelname = '${month}_at_seq_idx'`,
      );
      return Number(row?.pages);
    };
    const before = await pagesByTime();
    store = await openPostgresStore(url);
    expect(await requests({ requestId: 'r7' })).toEqual(['r7']);
    await store.close(); // a session that ends has reported what it read
    expect((await pagesByTime()) - before).toBeLessThan(10); // the index has more than 100
    store = await openPostgresStore(url);
  });
});

/** The schema as earlier versions created it. */
async function migrateBefore(url: string, name: string): Promise<void> {
  const earlier = migrations.filter((migration) => migration.name < name);
  const names = earlier.map((migration) => `('${migration.name}', 0)`);
  const table = 'create table migrations (name text primary key, at bigint not null)';
  const statements = [table, ...earlier.flatMap((migration) => statementsOf(migration, 'postgres'))];
  await execute(url, [...statements, `insert into migrations values ${names.join()}`].join(';\n'));
}

const entriesOf = (count: number, at: string): string =>
  `insert into audit (at, request_id, user_name, user_key, action, query, channel, outcome, status, duration_ms, address, client, cached, search_text)
   select ${at}, 'r' || n, 'ann', 'ann', 'query.execute', 'QD_x', 'rest', 'ok', 200, 3, '127.0.0.1', repeat('x', 300), 0, 'r' || n || ' ann query.execute qd_x'
   from generate_series(1, ${count}) as n`;
