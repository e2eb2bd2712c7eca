import type { Principal } from '../../access/principal.ts';
import { describeChange } from '../../catalog/describe-change.ts';
import { compareVersions, isBreaking, type QueryChange } from '../../catalog/query-changes.ts';
import type { Query, QueryVersion } from '../../catalog/query.ts';
import type { Config } from '../../config/config.ts';
import { failed, type Failure, type Result, succeeded } from '../../core/errors.ts';
import { readPin } from '../../pipeline/find-query.ts';
import { catchStoreErrors } from '../../pipeline/steps/store-failure.ts';
import { labelColumns } from '../../results/columns.ts';
import type { MetadataStore, QueryCaller, Repositories } from '../../store/metadata-store.ts';
import { createBoundedWork } from '../bounded-work.ts';
import type { AdministrationParts } from '../change.ts';
import { isoTime } from '../iso-time.ts';
import { permissionDenied } from '../users/grant-rules.ts';
import { findQuery, managesQueries, seesQuery } from './query-rights.ts';

/** A version of a query: by its number, the one that callers get, or the one that the next activation gives them. */
export type VersionName = number | 'active' | 'draft';

export interface ChangesRequest {
  readonly from: VersionName;
  readonly to: VersionName;
  readonly days: number; // in which calls are counted
}

export type QueryChanges = ReturnType<typeof createQueryChanges>;

const DAY_MS = 86_400_000;
const MOST_LISTED = 1000;
const MOST_CHANGES = 100; // in an error

/** How a change affects callers: the differences between versions, who called, and what depends on the query. */
export function createQueryChanges(parts: AdministrationParts & AffectedParts) {
  const { store } = parts;
  const affected = createAffected(parts);

  const find = async (actor: Principal, id: string): Promise<Result<Query>> => {
    const found = await findQuery(store, actor, id);
    return !found.ok || managesQueries(actor) ? found : permissionDenied('queries.author');
  };

  return {
    async compare(actor: Principal, id: string, { from, to, days }: ChangesRequest) {
      const found = await find(actor, id);
      if (!found.ok) return found;
      const query = found.value;
      const versions = await store.queries.listVersions(id);
      const [before, after] = [versionNamed(query, versions, from), versionNamed(query, versions, to)];
      if (before === null || after === null) return failed(noVersion(before === null ? from : to));
      const callers = await affected.readCallers(query.queryName, days);
      if (!callers.ok) return callers;
      const changes = compareStored(before, after);
      return succeeded({
        from: viewVersion(before),
        to: viewVersion(after),
        columnsCompared: before.resultColumns !== null && after.resultColumns !== null,
        breaking: isBreaking(changes),
        changes: changes.map(viewChange),
        ...callers.value,
        ...(await affected.listDependants(actor, query)),
      });
    },
    async callers(actor: Principal, id: string, days: number) {
      const found = await find(actor, id);
      return found.ok ? affected.readCallers(found.value.queryName, days) : found;
    },
  };
}

const READS_AT_ONCE = 2;
const READS_WAITING = 32;

export type Affected = ReturnType<typeof createAffected>;

export interface AffectedParts extends Pick<AdministrationParts, 'now'> {
  readonly store: Pick<MetadataStore, 'audit' | 'queries' | 'catalog'>;
  readonly settings: () => Pick<Config, 'auditRetentionDays'>;
}

/** Finds the callers that a change of a query affects. */
export function createAffected({ store, settings, now }: AffectedParts) {
  const bounded = createBoundedWork(READS_AT_ONCE, READS_WAITING);
  return {
    /** Who received rows in the last days, from the audit trail. */
    async readCallers(query: string, days: number) {
      const { auditRetentionDays: kept } = settings();
      const request = { query, since: now() - Math.min(days, kept || days) * DAY_MS, now: now() };
      const read = await bounded(() => catchStoreErrors(async () => succeeded(await store.audit.readCallers(request))));
      if (!read.ok) return read;
      const callers = read.value.callers.toSorted((a, b) => b.calls - a.calls || b.lastAt - a.lastAt);
      return succeeded({
        callers: callers.slice(0, MOST_LISTED).map(viewCaller),
        moreCallers: Math.max(0, callers.length - MOST_LISTED),
        callersSince: isoTime(read.value.since),
        versions: countVersions(callers),
      });
    },
    /** Embeds, data links and keys that have not ended, and other queries; those that the actor may not see are counted only. */
    async listDependants(actor: Principal, { id, queryName }: Query) {
      const stored = await store.queries.listDependants(queryName, { now: now(), limit: MOST_LISTED });
      const { items } = await store.catalog.list({ choicesFrom: queryName, limit: MOST_LISTED });
      const queries = items.filter((each) => each.status !== 'Void' && each.id !== id);
      const seen = queries.filter((each) => seesQuery(actor, each));
      const listed = [
        ...stored.items.map(({ queryName: named, ...dependant }) => ({ ...dependant, version: readPin(named).version })),
        ...seen.map((each) => ({
          ...{ kind: 'choices' as const, id: each.id, name: each.queryName, owner: each.createdBy },
          version: null,
        })),
      ].slice(0, MOST_LISTED);
      return { dependants: listed, moreDependants: stored.count + queries.length - listed.length };
    },
  };
}

/** The version that callers get, or got before the query was deactivated or edited while Inactive. */
function lastActive({ status, current }: Query, versions: readonly QueryVersion[]): QueryVersion | null {
  if (status === 'Active' || status === 'Inactive') return current;
  return versions.find(({ activation }) => activation !== undefined) ?? null;
}

/** The version that the next activation makes Active, if there is one that is not Active yet. */
const nextActive = ({ status, current, draft }: Query): QueryVersion | null =>
  draft ?? (status === 'Draft' || status === 'Validated' ? current : null);

function versionNamed(query: Query, versions: readonly QueryVersion[], name: VersionName): QueryVersion | null {
  if (name === 'active') return lastActive(query, versions);
  if (name === 'draft') return nextActive(query);
  return versions.find(({ version }) => version === name) ?? null;
}

function noVersion(name: VersionName): Failure {
  if (name === 'active') return { kind: 'NotFound', what: 'version of this query that was ever Active' };
  return { kind: 'NotFound', what: name === 'draft' ? 'draft of this query' : `version ${name} of this query` };
}

type Stored = Pick<QueryVersion, 'definition' | 'resultColumns'>;

/** The changes for callers if a version takes the place of another. */
const compareStored = (before: Stored, after: Stored): readonly QueryChange[] =>
  compareVersions(toCompared(before), toCompared(after));

const toCompared = ({ definition, resultColumns }: Stored) => ({
  definition,
  columns: resultColumns && labelColumns(resultColumns, definition.columns),
});

/** The changes for callers if a version takes the place of the one that they get, or last got. */
export async function readChanges(
  { queries }: Pick<Repositories, 'queries'>,
  query: Query,
  after: Stored,
): Promise<readonly QueryChange[]> {
  if (!query.nameFixed) return []; // never Active before
  const before = query.status === 'Active' ? query.current : lastActive(query, await queries.listVersions(query.id));
  return before === null ? [] : compareStored(before, after);
}

/** The changes that break callers if the next version of a query is activated. */
export async function readBreakingChanges(
  repositories: Pick<Repositories, 'queries'>,
  query: Query,
): Promise<readonly QueryChange[]> {
  const after = nextActive(query);
  return after === null ? [] : breakingOf(await readChanges(repositories, query, after));
}

export const breakingOf = (changes: readonly QueryChange[]): readonly QueryChange[] => changes.filter(({ breaking }) => breaking);

/** `fieldOf` names the path of a change in the request. */
export const breakingChange = <C extends QueryChange>(changes: readonly C[], fieldOf: (change: C) => string): Failure => ({
  kind: 'BreakingChange',
  changes: changes.slice(0, MOST_CHANGES).map((change) => ({ field: fieldOf(change), message: describeChange(change) })),
});

export const viewChange = (change: QueryChange) => ({ ...change, message: describeChange(change) });

const viewVersion = ({ version, activation, createdBy, createdAt }: QueryVersion) => ({
  version,
  activatedAs: activation?.number ?? null,
  createdBy,
  createdAt: isoTime(createdAt),
});

const viewCaller = ({ lastAt, application, viewers, ...caller }: QueryCaller) => ({
  ...caller,
  ...(application === null ? {} : { application }),
  ...(viewers === 0 ? {} : { viewers }),
  lastAt: isoTime(lastAt),
});

/** How many accounts call each version, the latest version first. A key or an application of a person counts as a caller. */
function countVersions(callers: readonly QueryCaller[]) {
  const versions = new Map<number, { calls: number; lastAt: number; readonly names: Set<string> }>();
  for (const { version, user, apiKey, application, calls, lastAt } of callers) {
    const counted = versions.get(version) ?? { calls: 0, lastAt, names: new Set() };
    versions.set(version, counted);
    counted.calls += calls;
    counted.lastAt = Math.max(counted.lastAt, lastAt);
    counted.names.add(JSON.stringify([user, apiKey, application]));
  }
  return [...versions]
    .sort(([one], [other]) => other - one)
    .map(([version, { calls, lastAt, names }]) => ({ version, callers: names.size, calls, lastAt: isoTime(lastAt) }));
}
