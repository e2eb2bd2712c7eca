import { has, type Principal } from '../access/principal.ts';
import type { Outcome } from '../audit/audit-entry.ts';
import type { Query, QueryStatus } from '../catalog/query.ts';
import { definedFields } from '../core/defined-fields.ts';
import { type Result, succeeded } from '../core/errors.ts';
import type { ClusterExecutions } from '../pipeline/executions.ts';
import { mayRun } from '../pipeline/find-query.ts';
import type { DatabaseTest, MetadataStore, QueryFilter, QueryListRequest, QueryOrder } from '../store/metadata-store.ts';
import { managesDatabases } from './databases/databases.ts';
import { isoTime } from './iso-time.ts';
import { DAY_MS, type LastDay, type SlowQuery, summarizeLastDay as countLastDay } from './last-day.ts';
import { MOST_FAVORITES } from './queries/favorites.ts';
import { managesQueries, visibleRequest } from './queries/query-rights.ts';
import { isAdministrator } from './users/grant-rules.ts';

/** A query as the cards of the home page show it. */
export interface HomeQuery {
  readonly id: string;
  readonly queryName: string;
  readonly name: string;
  readonly status: QueryStatus;
  readonly canRun: boolean;
  readonly hasChart: boolean; // its author chose one
}

/** The data of the home page. A part is left out if the user may not see it. */
export interface HomeView {
  readonly queries?: Readonly<Record<QueryStatus, number>>; // by status
  readonly favorites?: readonly HomeQuery[];
  readonly recent?: readonly (HomeQuery & { readonly lastUsedAt: string; readonly lastRun: LastRun | null })[];
  readonly news?: readonly (HomeQuery & { readonly at: string; readonly by: string; readonly isNew: boolean })[];
  readonly drafts?: readonly (HomeQuery & { readonly at: string; readonly draftStatus: 'Draft' | 'Validated' })[];
  readonly failures?: readonly (HomeQuery & Failures)[];
  readonly endingKeys: readonly EndingKey[];
  readonly lastDay?: LastDayView;
  readonly load?: { readonly running: number; readonly waiting: number };
  readonly failingDatabases?: readonly { readonly name: string; readonly at: string; readonly message: string }[];
}

/** The entries of the calling user. */
interface LastRun {
  readonly at: string;
  readonly outcome: Outcome;
  readonly error: string | null;
  readonly rows: number | null;
  readonly durationMs: number;
}

interface Failures {
  readonly at: string; // of the latest
  readonly error: string;
  readonly count: number; // among the latest calls
  readonly calls: number;
}

/** `since`: only the latest calls were counted, from this time on; null: all. A query that the person may not see has no id. */
type LastDayView = Omit<LastDay, 'slowest'> & {
  readonly since: string | null;
  readonly slowest: readonly (SlowQuery & { readonly id: string | null; readonly name: string | null })[];
};

interface EndingKey {
  readonly user: string;
  readonly name: string;
  readonly prefix: string;
  readonly expiresAt: string;
  readonly lastUsedAt: string | null;
  readonly isOwn: boolean;
}

export interface HomeParts {
  readonly store: MetadataStore;
  readonly executions: Pick<ClusterExecutions, 'list'>;
  readonly flushRuns: () => Promise<void>; // so that a run is recent at once
  readonly now: () => number;
}

export type Home = (actor: Principal) => Promise<Result<HomeView>>;

const NEWS_MS = 30 * DAY_MS;
const FAILURES_MS = 7 * DAY_MS;
const KEYS_MS = 14 * DAY_MS;
const SHOWN = 6;
const OWN_CALLS = 200; // the person's latest audit entries, among which the last runs are looked for
const CALLS_OF_QUERY = 100; // the latest calls of a query, among which failures are counted
const QUERIES_CHECKED = 20;
const DAY_CALLS = 1000; // the latest audit entries, among which the calls of a day are counted

/** Reads a bounded number of entries, and never runs a query. */
export function createHome({ store, executions, flushRuns, now }: HomeParts): Home {
  return async (actor) => {
    await flushRuns();
    const [catalog, endingKeys, lastDay, load, failingDatabases] = await Promise.all([
      catalogParts(store, actor, now()),
      listEndingKeys(store, actor, now()),
      has(actor, 'audit.view') ? readLastDay(store, actor, now()) : undefined,
      isAdministrator(actor) ? loadOf(executions) : undefined,
      managesDatabases(actor) ? listFailing(store) : undefined,
    ]);
    return succeeded({ ...catalog, endingKeys, ...definedFields({ lastDay, load, failingDatabases }) });
  };
}

async function catalogParts(store: MetadataStore, actor: Principal, now: number) {
  const request = await visibleRequest(store, actor, { limit: SHOWN });
  if (request === null) return {};
  const { userId } = actor;
  /** The latest queries by a time. */
  const listLatest: Latest = async (by, filter, limit = SHOWN) =>
    (await store.catalog.list({ ...request, ...filter, limit, order: { by, descending: true, userId } })).items;
  const { limit: _, ...visible } = request;
  return {
    queries: await countByStatus(store, visible),
    favorites: (await store.catalog.list({ ...visible, favoriteOf: userId, limit: MOST_FAVORITES })).items.map((query) =>
      homeQuery(actor, query),
    ),
    recent: await recentFor(store, actor, await listLatest('lastUsed', { usedBy: userId })),
    ...(has(actor, 'queries.run') ? { news: await newsFor(actor, listLatest, now - NEWS_MS) } : {}),
    ...(managesQueries(actor)
      ? { drafts: await draftsOf(actor, listLatest), failures: await failuresOf(store, actor, listLatest, now - FAILURES_MS) }
      : {}),
  };
}

type Latest = (by: QueryOrder['by'], filter: QueryFilter, limit?: number) => Promise<readonly Query[]>;

const homeQuery = (actor: Principal, query: Query): HomeQuery => ({
  id: query.id,
  queryName: query.queryName,
  name: query.current.definition.name,
  status: query.status,
  canRun: mayRun(actor, query),
  hasChart: query.current.definition.chart !== undefined,
});

async function countByStatus(store: MetadataStore, filter: QueryFilter): Promise<Readonly<Record<QueryStatus, number>>> {
  const counts = { Draft: 0, Validated: 0, Active: 0, Inactive: 0, Void: 0 };
  for (const { status, count } of await store.catalog.count(filter)) counts[status] += count;
  return counts;
}

async function recentFor(store: MetadataStore, actor: Principal, queries: readonly Query[]): Promise<HomeView['recent']> {
  if (queries.length === 0) return [];
  const ids = queries.map(({ id }) => id);
  const names = queries.map(({ queryName }) => queryName);
  const uses = await store.queryUses.readUses(actor.userId, ids);
  const runs = await store.audit.readLastRunsBy(actor, names, { among: OWN_CALLS });
  return queries.map((query) => {
    const run = runs.get(query.queryName);
    return {
      ...homeQuery(actor, query),
      lastUsedAt: isoTime(uses.get(query.id)?.lastUsedAt ?? 0),
      lastRun: run === undefined ? null : { ...run, at: isoTime(run.at) },
    };
  });
}

/** Queries that others have published or changed, of those that `mayRun`. */
async function newsFor(actor: Principal, latest: Latest, since: number): Promise<HomeView['news']> {
  const runnable = { statuses: ['Active'], grantedToRoles: actor.roleIds } as const;
  const queries = await latest('published', { ...runnable, byOthersThan: actor.username, publishedSince: since });
  return queries.map((query) => ({
    ...homeQuery(actor, query),
    at: isoTime(query.draft === null ? query.updatedAt : query.current.createdAt),
    by: query.updatedBy,
    isNew: query.createdAt >= since,
  }));
}

async function draftsOf(actor: Principal, latest: Latest): Promise<HomeView['drafts']> {
  const queries = await latest('changed', { ofPerson: actor.username, isUnpublished: true });
  return queries.map((query) => ({
    ...homeQuery(actor, query),
    at: isoTime(query.updatedAt),
    draftStatus: (query.draft ?? query).status === 'Validated' ? 'Validated' : 'Draft',
  }));
}

/** Failures of the person's own queries: when and with which code, but not who called. */
async function failuresOf(store: MetadataStore, actor: Principal, latest: Latest, since: number): Promise<HomeView['failures']> {
  const queries = await latest('active', { ofPerson: actor.username, nameFixed: true }, QUERIES_CHECKED);
  const found = await Promise.all(
    queries.map(async (query) => {
      const failures = await store.audit.failuresOf(query.queryName, { since, among: CALLS_OF_QUERY });
      return failures === null ? [] : [{ query, failures }];
    }),
  );
  return found
    .flat()
    .toSorted((a, b) => b.failures.at - a.failures.at)
    .slice(0, SHOWN)
    .map(({ query, failures }) => ({ ...homeQuery(actor, query), ...failures, at: isoTime(failures.at) }));
}

/** One's own keys, and everyone's for those who manage users. */
async function listEndingKeys(store: MetadataStore, actor: Principal, now: number): Promise<readonly EndingKey[]> {
  const keys = await store.apiKeys.listEnding({
    after: now,
    until: now + KEYS_MS,
    limit: SHOWN,
    ...(has(actor, 'users.manage') ? {} : { userId: actor.userId }),
  });
  return keys.map(({ username, userId, name, prefix, expiresAt, lastUsedAt }) => ({
    user: username,
    name,
    prefix,
    expiresAt: isoTime(expiresAt),
    lastUsedAt: lastUsedAt === null ? null : isoTime(lastUsedAt),
    isOwn: userId === actor.userId,
  }));
}

async function readLastDay(store: MetadataStore, actor: Principal, now: number): Promise<LastDayView> {
  const entries = await store.audit.listLatestSince(now - DAY_MS, DAY_CALLS);
  const { slowest, ...figures } = countLastDay(entries, now);
  const names = slowest.map(({ queryName }) => queryName);
  const request = await visibleRequest(store, actor, { limit: names.length });
  const { items } = request === null || names.length === 0 ? { items: [] } : await store.catalog.list(withNames(request, names));
  const first = entries.length === DAY_CALLS ? entries.at(-1) : undefined;
  return {
    ...figures,
    since: first === undefined ? null : isoTime(first.at),
    slowest: slowest.map((each) => {
      const query = items.find(({ queryName }) => queryName === each.queryName);
      return { ...each, id: query?.id ?? null, name: query?.current.definition.name ?? null };
    }),
  };
}

/** A key may be restricted to some queries already. */
const withNames = (request: QueryListRequest, names: readonly string[]): QueryListRequest => ({
  ...request,
  queryNames: names.filter((name) => request.queryNames?.includes(name) !== false),
});

async function loadOf(executions: HomeParts['executions']) {
  const states = (await executions.list()).map(({ state }) => state);
  const waiting = states.filter((state) => state === 'waiting').length;
  return { running: states.length - waiting, waiting };
}

async function listFailing(store: MetadataStore): Promise<HomeView['failingDatabases']> {
  const tests = await store.databases.readLastTests();
  const databases = (await store.databases.listAll()).filter(({ disabled }) => !disabled);
  const problemOf = ({ at, problem }: DatabaseTest) => (problem === null ? [] : [{ at: isoTime(at), message: problem }]);
  return databases.flatMap(({ id, name }) => {
    const test = tests.get(id);
    return test === undefined ? [] : problemOf(test).map((problem) => ({ name, ...problem }));
  });
}
