import { has, type Principal } from '../access/principal.ts';
import type { AuditEntry } from '../audit/audit-entry.ts';
import type { Query } from '../catalog/query.ts';
import { definedFields } from '../core/defined-fields.ts';
import { succeeded } from '../core/errors.ts';
import type { ClusterExecutions } from '../pipeline/executions.ts';
import { mayRun } from '../pipeline/find-query.ts';
import type { MetadataStore, QueryFilter, QueryOrder } from '../store/metadata-store.ts';
import { managesDatabases } from './databases/databases.ts';
import { isoTime } from './iso-time.ts';
import { MOST_FAVORITES } from './queries/favorites.ts';
import { managesQueries, toVisibleRequest } from './queries/query-rights.ts';
import { isAdministrator } from './users/grant-rules.ts';

export interface HomeParts {
  readonly store: MetadataStore;
  readonly executions: Pick<ClusterExecutions, 'list'>;
  readonly flushRuns: () => Promise<void>; // so that a run is recent at once
  readonly now: () => number;
}

export type Home = ReturnType<typeof createHome>;

const HOUR_MS = 3_600_000;
const HOURS = 24;
const DAY_MS = HOURS * HOUR_MS;
const NEWS_MS = 30 * DAY_MS;
const FAILURES_MS = 7 * DAY_MS;
const KEYS_MS = 14 * DAY_MS;
const SHOWN = 6;
const OWN_CALLS = 200; // the person's latest audit entries, among which the last runs are looked for
const CALLS_OF_QUERY = 100; // the latest calls of a query, among which failures are counted
const QUERIES_CHECKED = 20;
const DAY_CALLS = 1000; // the latest, which are counted

/** The data of the home page. A part is left out if the user may not see it. Reads a bounded number of entries, and never runs a query. */
export function createHome({ store, executions, flushRuns, now }: HomeParts) {
  return async (actor: Principal) => {
    await flushRuns();
    const [catalog, endingKeys, lastDay, load, failingDatabases] = await Promise.all([
      readCatalogParts(store, actor, now()),
      listEndingKeys(store, actor, now()),
      has(actor, 'audit.view') ? readLastDay(store, actor, now()) : undefined,
      isAdministrator(actor) ? loadOf(executions) : undefined,
      managesDatabases(actor) ? listFailing(store) : undefined,
    ]);
    return succeeded({ ...catalog, endingKeys, ...definedFields({ lastDay, load, failingDatabases }) });
  };
}

async function readCatalogParts(store: MetadataStore, actor: Principal, now: number) {
  const request = await toVisibleRequest(store, actor, { limit: SHOWN });
  if (request === null) return undefined;
  const { userId } = actor;
  /** The latest queries by a time. */
  const listLatest: Latest = async (by, filter, limit = SHOWN) =>
    (await store.catalog.list({ ...request, ...filter, limit, order: { by, descending: true, userId } })).items;
  const { limit: _, ...visible } = request;
  return {
    queries: await countQueries(store, visible),
    favorites: (await store.catalog.list({ ...visible, favoriteOf: userId, limit: MOST_FAVORITES })).items.map((query) =>
      homeQuery(actor, query),
    ),
    recent: await readRecent(store, actor, await listLatest('lastUsed', { usedBy: userId })),
    ...(has(actor, 'queries.run') ? { news: await readNews(actor, listLatest, now - NEWS_MS) } : {}),
    ...(managesQueries(actor)
      ? { drafts: await draftsOf(actor, listLatest), failures: await failuresOf(store, actor, listLatest, now - FAILURES_MS) }
      : {}),
  };
}

type Latest = (by: QueryOrder['by'], filter: QueryFilter, limit?: number) => Promise<readonly Query[]>;

/** A query as the cards of the home page show it. */
const homeQuery = (actor: Principal, query: Query) => ({
  id: query.id,
  queryName: query.queryName,
  name: query.current.definition.name,
  status: query.status,
  canRun: mayRun(actor, query),
  hasChart: query.current.definition.chart !== undefined, // its author chose one
});

/** By status, and Active ones that also have a draft. */
async function countQueries(store: MetadataStore, filter: QueryFilter) {
  const counts = { Draft: 0, Validated: 0, Active: 0, Inactive: 0, Void: 0, activeDrafts: 0 };
  for (const { status, count, unpublished } of await store.catalog.count(filter)) {
    counts[status] += count;
    if (status === 'Active') counts.activeDrafts += unpublished;
  }
  return counts;
}

async function readRecent(store: MetadataStore, actor: Principal, queries: readonly Query[]) {
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
async function readNews(actor: Principal, latest: Latest, since: number) {
  const runnable = { statuses: ['Active'], grantedToRoles: actor.roleIds } as const;
  const queries = await latest('published', { ...runnable, byOthersThan: actor.username, publishedSince: since });
  return queries.map((query) => ({
    ...homeQuery(actor, query),
    at: isoTime(query.draft === null ? query.updatedAt : query.current.createdAt),
    by: query.updatedBy,
    isNew: query.createdAt >= since,
  }));
}

async function draftsOf(actor: Principal, latest: Latest) {
  const queries = await latest('changed', { ofPerson: actor.username, isUnpublished: true });
  return queries.map((query) => ({
    ...homeQuery(actor, query),
    at: isoTime(query.updatedAt),
    draftStatus: (query.draft ?? query).status === 'Validated' ? ('Validated' as const) : ('Draft' as const),
  }));
}

/** Failures of the person's own queries: when and with which code, but not who called. */
async function failuresOf(store: MetadataStore, actor: Principal, latest: Latest, since: number) {
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
async function listEndingKeys(store: MetadataStore, actor: Principal, now: number) {
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
    lastUsedAt: isoTime(lastUsedAt),
    isOwn: userId === actor.userId,
  }));
}

async function readLastDay(store: MetadataStore, actor: Principal, now: number) {
  const entries = await store.audit.listLatestSince(now - DAY_MS, DAY_CALLS);
  const { slowest, ...figures } = summarizeLastDay(entries, now);
  const request = await toVisibleRequest(store, actor, { limit: MAX_SHOWN });
  // a key may be restricted to some queries already
  const names = slowest.flatMap(({ queryName }) => (request?.queryNames?.includes(queryName) === false ? [] : queryName));
  const items = request === null || names.length === 0 ? [] : (await store.catalog.list({ ...request, queryNames: names })).items;
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

async function loadOf(executions: HomeParts['executions']) {
  const states = (await executions.list()).map(({ state }) => state);
  const waiting = states.filter((state) => state === 'waiting').length;
  return { running: states.length - waiting, waiting };
}

async function listFailing(store: MetadataStore) {
  const tests = await store.databases.readLastTests();
  const databases = (await store.databases.listAll()).filter(({ disabled }) => !disabled);
  return databases.flatMap(({ id, name }) => {
    const test = tests.get(id);
    return test === undefined || test.problem === null ? [] : { name, at: isoTime(test.at), message: test.problem };
  });
}

type Entry = Pick<AuditEntry, 'at' | 'action' | 'channel' | 'outcome' | 'query' | 'durationMs' | 'cached'>;

const MAX_SHOWN = 5;

/** Summarizes the query calls of the last 24 hours. */
export function summarizeLastDay(calls: readonly Entry[], now: number) {
  return {
    calls: calls.length,
    failed: calls.filter(({ outcome }) => outcome === 'failed').length,
    refused: calls.filter(({ outcome }) => outcome === 'refused').length,
    hours: hoursOf(calls, now),
    slowest: findSlowest(calls),
  };
}

function hoursOf(calls: readonly Entry[], now: number) {
  const hours = Array.from({ length: HOURS }, () => ({ calls: 0, errors: 0 }));
  for (const { at, outcome } of calls) {
    const hour = hours[HOURS - 1 - Math.max(0, Math.floor((now - at) / HOUR_MS))];
    if (hour === undefined) continue;
    hour.calls++;
    if (outcome === 'failed' || outcome === 'refused') hour.errors++;
  }
  return hours;
}

/** The queries with the slowest calls, without shared results. */
function findSlowest(calls: readonly Entry[]) {
  const ran = calls.filter(({ query, cached, outcome }) => query !== null && !cached && outcome !== 'refused');
  return [...Map.groupBy(ran, ({ query }) => query ?? '')]
    .map(([queryName, ofQuery]) => {
      const durations = ofQuery.map(({ durationMs }) => durationMs).toSorted((a, b) => a - b);
      return {
        queryName,
        calls: durations.length,
        medianMs: durations[Math.floor((durations.length - 1) / 2)] ?? 0,
        slowestMs: durations.at(-1) ?? 0,
      };
    })
    .toSorted((a, b) => b.slowestMs - a.slowestMs)
    .slice(0, MAX_SHOWN);
}
