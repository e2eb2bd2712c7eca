import { sql } from 'kysely';
import type { CallersRequest, QueryCaller, QueryCallers } from '../../metadata-store.ts';
import type { Db } from '../db.ts';
import type { SqlKind } from '../migrations/migration.ts';

const MOST_MS = 10_000;
const SLICE_MS = 500;
const FIRST_SLICE = 3_600_000; // an hour
const MOST_GROWTH = 4;

/** Reads the entries of a query from the newest on, in slices of time. If that takes too long, it reports from when on they were read. */
export async function readCallers(
  db: Db,
  kind: SqlKind,
  { query, since, now }: CallersRequest,
  mostMs = MOST_MS,
): Promise<QueryCallers> {
  const startedAt = performance.now();
  const callers = new Map<string, Counted>();
  let to = Number.MAX_SAFE_INTEGER; // clocks of other processes may be ahead
  let from = Math.max(since, now - FIRST_SLICE);
  for (let lasted = 0; ;) {
    const sliceAt = performance.now();
    for (const row of await countSlice(db, kind, query, { from, to })) add(callers, row);
    lasted = performance.now() - sliceAt;
    if (from <= since || performance.now() - startedAt > mostMs) break;
    const width = Math.min(to, now) - from;
    const growth = Math.min(MOST_GROWTH, Math.max(1 / MOST_GROWTH, SLICE_MS / lasted));
    [to, from] = [from, Math.max(since, Math.floor(from - width * growth))];
  }
  const found = [...callers.values()].map(({ viewers, calls, ...caller }) => ({
    ...caller,
    calls: Math.max(calls, 1), // pages of a result that began earlier
    viewers: viewers.size,
  }));
  return { callers: found, since: from };
}

type Counted = Omit<QueryCaller, 'viewers'> & { calls: number; lastAt: number; readonly viewers: Set<string> };
type Row = Omit<QueryCaller, 'viewers'> & { readonly viewer: string | null };

function add(callers: Map<string, Counted>, { viewer, calls, lastAt, ...caller }: Row): void {
  const { user, kind, apiKey, application, channel, version } = caller;
  const key = JSON.stringify([user, kind, apiKey, application, channel, version]);
  const counted = callers.get(key) ?? { ...caller, calls: 0, lastAt, viewers: new Set() };
  callers.set(key, counted);
  counted.calls += calls;
  counted.lastAt = Math.max(counted.lastAt, lastAt);
  if (viewer !== null) counted.viewers.add(viewer);
}

/** The actions of later pages, and of what uses a query without returning its rows. */
const pages = sql`('query.next-page', 'query.next-chunk', 'execute_query_next_page', 'resume_stream', 'export.download')`;
const others = sql`('query.choices', 'embed.create')`;

/** Tools of the AI gateway take codes beside parameters; a code alone has no parameters. 206: a part of a file. */
const isExecution = sql`action not in ${pages} and status <> 206 and parameters is not null and parameters not like '%"continued":true}'`;

async function countSlice(
  db: Db,
  kind: SqlKind,
  query: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<readonly Row[]> {
  // as one text, because the driver takes longer to create many row objects
  const [list, row] = kind === 'postgres' ? ['json_agg', 'json_build_array'] : ['json_group_array', 'json_array'];
  const { rows } = await sql<{ callers: string | null }>`
    select cast(${sql.raw(list)}(${sql.raw(row)}(user_name, kind, api_key, application, channel, query_version, viewer, calls, last_at)) as text) as callers
    from (
      select user_name, kind, api_key, application, channel, query_version, viewer,
        sum(case when ${isExecution} then 1 else 0 end) as calls, max(at) as last_at
      from audit
      where query = ${query} and at >= ${from} and at < ${to} and query_version is not null and channel <> 'management' and action not in ${others}
        and (parameters is not null or row_count is not null) and (outcome = 'ok' or row_count > 0)
      group by user_name, kind, api_key, application, channel, query_version, viewer
    ) counted`.execute(db);
  const counted: readonly CountedRow[] = JSON.parse(rows[0]?.callers ?? '[]');
  return counted.map(([user, userKind, apiKey, application, channel, version, viewer, calls, lastAt]) => ({
    ...{ user: user ?? '', kind: userKind, apiKey, application, channel, version, viewer, calls, lastAt },
  }));
}

type CountedRow = readonly [
  user: string | null,
  userKind: QueryCaller['kind'],
  apiKey: string | null,
  application: string | null,
  channel: QueryCaller['channel'],
  version: number,
  viewer: string | null,
  calls: number,
  lastAt: number,
];
