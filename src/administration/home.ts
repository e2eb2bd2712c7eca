import { has, type Principal } from '../access/principal.ts';
import type { AuditEntry, Outcome } from '../audit/audit-entry.ts';
import type { Query, QueryStatus } from '../catalog/query.ts';
import type { ClusterExecutions } from '../delivery/cluster-executions.ts';
import { mayRun } from '../delivery/steps/authorise.ts';
import { allQueries } from '../delivery/steps/search-queries.ts';
import { type Result, succeeded } from '../errors.ts';
import type { DatabaseTest, MetadataStore, QueryUse } from '../store/metadata-store.ts';
import { managesDatabases } from './databases/databases.ts';
import { isoTime } from './iso-time.ts';
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

/** What a person sees first. A part is left out if the person may not see its data. */
export interface HomeView {
  readonly queries?: Readonly<Record<QueryStatus, number>>; // by status
  readonly favorites?: readonly HomeQuery[];
  readonly recent?: readonly (HomeQuery & { readonly lastUsedAt: string; readonly lastRun: LastRun | null })[];
  readonly news?: readonly (HomeQuery & { readonly at: string; readonly by: string; readonly isNew: boolean })[];
  readonly drafts?: readonly (HomeQuery & { readonly at: string; readonly draftStatus: 'Draft' | 'Validated' })[];
  readonly failures?: readonly (HomeQuery & Failures)[];
  readonly endingKeys: readonly EndingKey[];
  readonly load?: { readonly running: number; readonly waiting: number };
  readonly failingDatabases?: readonly { readonly name: string; readonly at: string; readonly message: string }[];
}

/** Of the person who asks. */
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

const DAY_MS = 86_400_000;
const NEWS_MS = 30 * DAY_MS;
const FAILURES_MS = 7 * DAY_MS;
const KEYS_MS = 14 * DAY_MS;
const SHOWN = 6;
const OWN_CALLS = 200; // the person's latest audit entries, among which the last runs are looked for
const CALLS_OF_QUERY = 100; // the latest calls of a query, among which failures are counted
const QUERIES_CHECKED = 20;

/** Reads a bounded number of entries, and never runs a query. */
export function createHome({ store, executions, flushRuns, now }: HomeParts): Home {
  return async (actor) => {
    await flushRuns();
    const [catalog, endingKeys, load, failingDatabases] = await Promise.all([
      catalogParts(store, actor, now()),
      endingKeysFor(store, actor, now()),
      isAdministrator(actor) ? loadOf(executions) : undefined,
      managesDatabases(actor) ? failingOf(store) : undefined,
    ]);
    return succeeded({
      ...catalog,
      endingKeys,
      ...(load === undefined ? {} : { load }),
      ...(failingDatabases === undefined ? {} : { failingDatabases }),
    });
  };
}

async function catalogParts(store: MetadataStore, actor: Principal, now: number) {
  const request = await visibleRequest(store, actor, { limit: SHOWN });
  if (request === null) return {};
  const { limit: _, ...filter } = request;
  const queries = await allQueries(store.queries, filter);
  const uses = await store.queryUses.of(actor.userId);
  const used = latest(queries, (query) => uses.get(query.id)?.lastUsedAt ?? null);
  return {
    queries: countByStatus(queries),
    favorites: queries.filter(({ id }) => uses.get(id)?.isFavorite === true).map((query) => homeQuery(actor, query)),
    recent: await withLastRuns(store, actor, used),
    ...(has(actor, 'queries.run') ? { news: newsFor(actor, queries, now - NEWS_MS) } : {}),
    ...(managesQueries(actor)
      ? { drafts: draftsOf(actor, queries), failures: await failuresOf(store, actor, queries, uses, now - FAILURES_MS) }
      : {}),
  };
}

const homeQuery = (actor: Principal, query: Query): HomeQuery => ({
  id: query.id,
  queryName: query.queryName,
  name: query.current.definition.name,
  status: query.status,
  canRun: mayRun(actor, query),
  hasChart: query.current.definition.chart !== undefined,
});

type Dated = { readonly query: Query; readonly at: number };

/** The latest queries by a time; those without it are left out. */
const latest = (queries: readonly Query[], timeOf: (query: Query) => number | null): readonly Dated[] =>
  queries
    .flatMap((query) => {
      const at = timeOf(query);
      return at === null ? [] : [{ query, at }];
    })
    .toSorted((a, b) => b.at - a.at)
    .slice(0, SHOWN);

function countByStatus(queries: readonly Query[]): Readonly<Record<QueryStatus, number>> {
  const counts = { Draft: 0, Validated: 0, Active: 0, Inactive: 0, Void: 0 };
  for (const { status } of queries) counts[status] += 1;
  return counts;
}

async function withLastRuns(store: MetadataStore, actor: Principal, used: readonly Dated[]) {
  if (used.length === 0) return [];
  const { items } = await store.audit.list({ user: actor.username }, { limit: OWN_CALLS });
  // an earlier user may have had the same name
  const runs = items.filter(({ userId, action }) => userId === actor.userId && isRun(action));
  return used.map(({ query, at }) => {
    const run = runs.find((entry) => entry.query === query.queryName);
    return { ...homeQuery(actor, query), lastUsedAt: isoTime(at), lastRun: run === undefined ? null : lastRunOf(run) };
  });
}

const isRun = (action: string): boolean => action === 'query.execute' || action === 'query.export';

const lastRunOf = ({ at, outcome, error, rows, durationMs }: AuditEntry): LastRun => ({
  at: isoTime(at),
  outcome,
  error,
  rows,
  durationMs,
});

/** Active queries that others have published or changed. With a draft, `updatedAt` is that of the draft. */
const newsFor = (actor: Principal, queries: readonly Query[], since: number): HomeView['news'] =>
  latest(queries, (query) => {
    const at = query.draft === null ? query.updatedAt : query.current.createdAt;
    return at >= since && query.updatedBy !== actor.username && mayRun(actor, query) ? at : null;
  }).map(({ query, at }) => ({
    ...homeQuery(actor, query),
    at: isoTime(at),
    by: query.updatedBy,
    isNew: query.createdAt >= since,
  }));

const isOwn = ({ username }: Principal, { createdBy, updatedBy }: Query): boolean =>
  createdBy === username || updatedBy === username;

const draftsOf = (actor: Principal, queries: readonly Query[]): HomeView['drafts'] =>
  latest(queries, (query) => (isOwn(actor, query) && draftStatusOf(query) !== null ? query.updatedAt : null)).map(
    ({ query, at }) => ({ ...homeQuery(actor, query), at: isoTime(at), draftStatus: draftStatusOf(query) ?? 'Draft' }),
  );

function draftStatusOf({ draft, status }: Query): 'Draft' | 'Validated' | null {
  if (draft !== null) return draft.status;
  return status === 'Draft' || status === 'Validated' ? status : null;
}

/** Failures of the person's own queries: when and with which code, but not who called. */
async function failuresOf(
  store: MetadataStore,
  actor: Principal,
  queries: readonly Query[],
  uses: ReadonlyMap<string, QueryUse>,
  since: number,
): Promise<HomeView['failures']> {
  // a query that always fails has no last run
  const ran = queries
    .filter((query) => query.nameFixed && isOwn(actor, query))
    .map((query) => ({ query, at: Math.max(uses.get(query.id)?.lastRunAt ?? 0, query.updatedAt) }))
    .toSorted((a, b) => b.at - a.at)
    .slice(0, QUERIES_CHECKED);
  const found = await Promise.all(
    ran.map(async ({ query }) => {
      const { items } = await store.audit.list({ query: query.queryName, from: since }, { limit: CALLS_OF_QUERY });
      const calls = items.filter(({ action }) => isRun(action));
      const failed = calls.filter(({ outcome }) => outcome === 'failed');
      const [last] = failed;
      if (last === undefined) return [];
      const { at, error } = last;
      return [{ query, at, failures: { error: error ?? '', count: failed.length, calls: calls.length } }];
    }),
  );
  return found
    .flat()
    .toSorted((a, b) => b.at - a.at)
    .slice(0, SHOWN)
    .map(({ query, at, failures }) => ({ ...homeQuery(actor, query), ...failures, at: isoTime(at) }));
}

/** One's own keys, and everyone's for those who manage users. */
async function endingKeysFor(store: MetadataStore, actor: Principal, now: number): Promise<readonly EndingKey[]> {
  const keys = await store.apiKeys.ending({
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

async function loadOf(executions: HomeParts['executions']) {
  const states = (await executions.list()).map(({ state }) => state);
  const waiting = states.filter((state) => state === 'waiting').length;
  return { running: states.length - waiting, waiting };
}

async function failingOf(store: MetadataStore): Promise<HomeView['failingDatabases']> {
  const tests = await store.databases.lastTests();
  const databases = (await store.databases.all()).filter(({ disabled }) => !disabled);
  const problemOf = ({ at, problem }: DatabaseTest) => (problem === null ? [] : [{ at: isoTime(at), message: problem }]);
  return databases.flatMap(({ id, name }) => {
    const test = tests.get(id);
    return test === undefined ? [] : problemOf(test).map((problem) => ({ name, ...problem }));
  });
}
