import { createHash } from 'node:crypto';
import { fixedValuesOf, isInScope, type Principal, narrowedTo } from '../../access/principal.ts';
import type { Channel } from '../../audit/audit-entry.ts';
import { fixedNames } from '../../catalog/parameter.ts';
import type { Query } from '../../catalog/query.ts';
import type { Connections } from '../../connectors/connector.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import { listAll } from '../../core/list-all.ts';
import type { Continuations } from '../../results/continuation.ts';
import type { DatabaseRecord, ListPage, ModelAnswer, QueryFilter, QueryUseRepository } from '../../store/metadata-store.ts';
import { admit, type AdmitParts } from '../admit.ts';
import type { QueryRuns } from '../batched-uses.ts';
import type { Call } from '../call.ts';
import {
  buildRunnableFilter,
  findQuery,
  listUsableDatabases,
  type QueryReference,
  type QueryStore,
  type RunnableQuery,
} from '../find-query.ts';
import { STREAM_BYTES } from '../limits/unsent-bytes.ts';
import { type AuditCall, type AuditDraft, readUnaudited } from '../steps/audit-call.ts';

export interface QueryListForm {
  readonly limit: number;
  readonly cursor?: string; // `nextCursor` of the previous page
  readonly search?: string;
  readonly database?: string; // name
}

/** `total`: the number of queries of a large catalog, whose most used ones come first; null: not listed in that way. */
export interface QueryList extends ListPage<RunnableQuery> {
  readonly total: number | null;
}

export interface DatabaseSummary {
  readonly database: DatabaseRecord;
  readonly queryCount: number;
}

export interface Profile {
  readonly principal: Principal;
  readonly databases: readonly string[]; // names; ['*']: all
}

/** A query, and whether its rows have the types of its columns. */
export interface DescribedQuery extends RunnableQuery {
  readonly hasLooseTypes: boolean;
}

export interface DescribedQueries {
  readonly tag: string; // changes with the queries, and with the rights of the caller
  readonly queries: AsyncIterable<DescribedQuery>;
}

export interface BrowseParts extends AdmitParts {
  readonly store: QueryStore;
  readonly connections: Pick<Connections, 'engineOf'>;
  readonly continuations: Continuations;
  readonly auditCall: AuditCall;
  readonly flushRuns: () => Promise<void>; // counts them
}

export type Browse = ReturnType<typeof createBrowse>;

/** What callers who run queries may read: the queries that they may run, their databases and their own profile. */
export function createBrowse(parts: BrowseParts) {
  const { store } = parts;
  const read = <Form, T>(
    call: Call,
    action: string,
    form: () => Result<Form>,
    work: (principal: Principal, form: Form, draft: AuditDraft) => Promise<Result<T>>,
  ): Promise<Result<T>> =>
    parts.auditCall(call, action, async (draft) => {
      const admitted = await admit(parts, { call, form }, draft);
      if (!admitted.ok) return admitted;
      return work(admitted.value.principal, admitted.value.form, draft);
    });
  const findAudited =
    (action: string) =>
    (call: Call, form: () => Result<QueryReference>): Promise<Result<RunnableQuery>> =>
      read(call, action, form, async (principal, reference, draft) => {
        draft.query = (reference.queryName ?? reference.id ?? '').slice(0, 300);
        const found = await findQuery(store, principal, reference, call.channel);
        if (!found.ok) return found;
        draft.query = found.value.query.queryName;
        draft.queryVersion = found.value.query.current.version;
        return succeeded(withoutFixed(principal, found.value));
      });
  return {
    queries: (call: Call, form: () => Result<QueryListForm>): Promise<Result<QueryList>> =>
      read(call, 'query.list', form, async (principal, requested, draft) => {
        const page = await listQueries(parts, call, principal, requested);
        if (page.ok) draft.rows = page.value.items.length;
        return page;
      }),
    /** All queries that the caller may run, by name, however many there are. */
    describedQueries: (call: Call, form: () => Result<unknown>): Promise<Result<DescribedQueries>> =>
      read(call, 'query.describe', form, async (principal) => {
        const databases = await listUsableDatabases(store, principal);
        const filter = buildRunnableFilter(call.channel, principal, databases);
        // read before the queries, which may therefore be newer than the tag, never older
        const of = [
          await store.catalog.fingerprint(filter),
          ...databases.flatMap(({ id, name }) => [id, name]),
          ...fixedValuesOf(principal).map(({ ParameterName }) => ParameterName),
        ];
        const sendable = parts.unsent.open(call, principal).claim(STREAM_BYTES);
        if (!sendable.ok) return sendable;
        const tag = createHash('sha256').update(JSON.stringify(of)).digest('base64url');
        return succeeded({ tag, queries: readDescribed(parts, principal, filter, databases) });
      }),
    query: findAudited('query.detail'),
    /** The same, for its parameters alone. */
    parameters: findAudited('query.parameters'),
    /** The queries of a key that has a tool for each of them; null for other credentials. */
    typedQueries: async (call: Call): Promise<readonly RunnableQuery[] | null> => {
      const principal = await readUnaudited(parts.auditCall, call, () => parts.authenticate(call.credential, call.address));
      if (!principal.ok || principal.value.authentication.kind !== 'key' || principal.value.authentication.hasTypedTools !== true)
        return null;
      return listNamedQueries(store, principal.value, principal.value.authentication.queries ?? [], call.channel);
    },
    /** Names of queries that the caller may run, those first that are most like `sent`. */
    similarNames: async (call: Call, sent: string): Promise<readonly string[]> => {
      const principal = await parts.authenticate(call.credential, call.address);
      if (!principal.ok) return [];
      const databases = await listUsableDatabases(store, principal.value);
      return store.catalog.names({
        ...buildRunnableFilter(call.channel, principal.value, databases),
        search: sent,
        limit: MOST_SIMILAR,
      });
    },
    databases: (call: Call, form: () => Result<unknown>): Promise<Result<readonly DatabaseSummary[]>> =>
      read(call, 'database.list', form, async (principal, _form, draft) => {
        const summaries = await summarizeDatabases(store, call.channel, principal);
        draft.rows = summaries.length;
        return succeeded(summaries);
      }),
    profile: (call: Call, form: () => Result<unknown>): Promise<Result<Profile>> =>
      read(call, 'account.profile', form, async (principal) => {
        const databases = principal.databaseScope === '*' ? null : await store.databases.listAll();
        const names = databases?.filter(({ id }) => isInScope(principal, id)).map(({ name }) => name);
        return succeeded({ principal, databases: names ?? ['*'] });
      }),
  };
}

const DESCRIBED_AT_ONCE = 25; // so that other calls run in between

async function* readDescribed(
  { store, connections }: Pick<BrowseParts, 'store' | 'connections'>,
  principal: Principal,
  filter: QueryFilter,
  databases: readonly DatabaseRecord[],
): AsyncGenerator<DescribedQuery> {
  const loose = new Set(databases.filter((each) => connections.engineOf(each).hasLooseTypes === true).map(({ id }) => id));
  for await (const query of listAll((from) => store.catalog.list({ ...filter, limit: DESCRIBED_AT_ONCE, ...from })))
    for (const found of withDatabase(query, databases))
      yield { ...withoutFixed(principal, found), hasLooseTypes: loose.has(found.database.id) };
}

const MOST_SIMILAR = 50;

/** The named queries that the principal may run over the channel. */
export async function listNamedQueries(
  store: QueryStore,
  principal: Principal,
  names: readonly string[],
  channel: Channel,
): Promise<readonly RunnableQuery[]> {
  const databases = await listUsableDatabases(store, principal);
  const request = buildRunnableFilter(channel, principal, databases);
  const queryNames = request.queryNames?.filter((each) => names.includes(each)) ?? names;
  const { items } = await store.catalog.list({ ...request, queryNames, limit: queryNames.length });
  return items.flatMap((query) => withDatabase(query, databases));
}

export interface QueryAnswer extends ModelAnswer {
  readonly queryName: string;
  readonly name: string;
}

const MOST_ANSWERS = 200;

/** The queries that the principal may run over MCP, with what an assistant gets of them by default, the largest first. */
export async function listAnswers(
  store: QueryStore & { readonly queryUses: Pick<QueryUseRepository, 'readAnswers'> },
  runs: Pick<QueryRuns, 'flush'>,
  principal: Principal,
): Promise<readonly QueryAnswer[]> {
  await runs.flush().catch(() => undefined); // of an unavailable store the next line fails
  const answers = await store.queryUses.readAnswers(MOST_ANSWERS);
  const found = await listNamedQueries(store, principal, [...answers.keys()], 'mcp');
  const names = new Map(found.map(({ query }) => [query.queryName, query.current.definition.name]));
  return [...answers].flatMap(([queryName, answer]) => {
    const name = names.get(queryName);
    return name === undefined ? [] : [{ queryName, name, ...answer }];
  });
}

async function listQueries(
  { store, continuations, flushRuns }: BrowseParts,
  call: Call,
  principal: Principal,
  { limit, cursor, search, database }: QueryListForm,
): Promise<Result<QueryList>> {
  const from = cursor === undefined ? undefined : continuations.read(cursor, 'list');
  if (from === null) return failed({ kind: 'ContinuationInvalid', of: 'list' });
  if (from !== undefined && from.userId !== principal.userId) return failed({ kind: 'ContinuationForeign' });
  const databases = (await listUsableDatabases(store, principal)).filter(
    ({ name }) => database === undefined || isSameName(name, database),
  );
  const filter = buildRunnableFilter(call.channel, principal, databases);
  const counts = search === undefined ? await store.catalog.count(filter) : [];
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const isLarge = total > LARGE_CATALOG;
  if (isLarge) await flushRuns().catch(() => undefined); // an order by earlier runs is better than none
  const { items, nextCursor: next } = await store.catalog.list({
    ...filter,
    limit,
    ...(isLarge ? { order: { by: 'runs', descending: true } } : {}),
    ...(from === undefined ? {} : { cursor: from.cursor }),
    ...(search === undefined ? {} : { search }),
  });
  return succeeded({
    total: isLarge ? total : null,
    items: items.flatMap((query) => withDatabase(query, databases)).map((each) => withoutFixed(principal, each)),
    nextCursor: next === null ? null : continuations.issue({ kind: 'list', userId: principal.userId, cursor: next }),
  });
}

/** Queries that a list shows by default; of more than that, the most used ones come first. */
export const LARGE_CATALOG = 50;

/** Each usable database with the number of queries that the caller may run on it. */
async function summarizeDatabases(
  store: QueryStore,
  channel: Channel,
  principal: Principal,
): Promise<readonly DatabaseSummary[]> {
  const databases = await listUsableDatabases(store, principal);
  const counts = new Map<string, number>();
  for (const { databaseId, count } of await store.catalog.count(buildRunnableFilter(channel, principal, databases))) {
    counts.set(databaseId, count); // all of them are Active
  }
  const summaries = databases.map((database) => ({ database, queryCount: counts.get(database.id) ?? 0 }));
  // a restricted key cannot use the other databases
  return narrowedTo(principal) === null ? summaries : summaries.filter(({ queryCount }) => queryCount > 0);
}

/** As the caller sees it: without the parameters whose values are fixed for them. */
function withoutFixed(principal: Principal, found: RunnableQuery): RunnableQuery {
  const { current } = found.query;
  const { definition } = current;
  const fixed = fixedNames(definition.parameters, fixedValuesOf(principal));
  if (fixed.size === 0) return found;
  const parameters = definition.parameters.filter(({ name }) => !fixed.has(name));
  return { ...found, query: { ...found.query, current: { ...current, definition: { ...definition, parameters } } } };
}

function withDatabase(query: Query, databases: readonly DatabaseRecord[]): RunnableQuery[] {
  const database = databases.find(({ id }) => id === query.current.definition.databaseId);
  return database === undefined ? [] : [{ query, database, pin: null }];
}

const isSameName = (one: string, other: string): boolean => one.toLowerCase() === other.trim().toLowerCase();
