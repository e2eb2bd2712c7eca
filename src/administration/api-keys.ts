import { ACTIVE_KEYS_PER_USER, apiKeyState, DEFAULT_KEY_DAYS, generateApiKey, type KeyTools } from '../access/api-key.ts';
import { dayOf, type KeyLimits, resolveLimit } from '../access/api-key.ts';
import type { Principal } from '../access/principal.ts';
import type { Config } from '../config/config.ts';
import { type FieldProblem, failed, fieldInvalid, type Result, succeeded } from '../core/errors.ts';
import { mayRun } from '../pipeline/find-query.ts';
import { principalOf } from '../pipeline/steps/authenticate.ts';
import type { ApiKey, ListRequest, MetadataStore } from '../store/metadata-store.ts';
import type { AdministrationParts, AuditNote } from './change.ts';
import { isoTime } from './iso-time.ts';
import { lineProblem, nameProblem } from './name-problem.ts';
import { paginate } from './paginate.ts';
import { findApplicationToActAs, findReachableUser } from './users/applications.ts';

export interface NewApiKeyFields {
  readonly name: string;
  readonly expiresInDays?: number | null | undefined; // default 90; null: never
  readonly queries?: readonly string[] | null | undefined;
  readonly limits?: KeyLimitFields | null | undefined;
  readonly tools?: KeyTools | undefined; // default generic
}

export type ApiKeys = ReturnType<typeof createApiKeys>;

export type ApiKeyParts = AdministrationParts & { readonly settings: () => Config };

export const MAX_KEY_DAYS = 3650;
const DAY_MS = 86_400_000;

export function createApiKeys({ store, now, settings }: ApiKeyParts) {
  const viewsOf = async (keys: readonly ApiKey[]) => {
    const ids = keys.map(({ id }) => id);
    const rows = await store.apiKeys.rowsOn(dayOf(now()), ids);
    return keys.map((key) => apiKeyView(key, now(), settings(), rows.get(key.id)));
  };
  const listKeys = async (userId: string, request: ListRequest) => {
    const page = paginate(await store.apiKeys.listForUser(userId), (key) => key.name, request);
    return page.ok ? succeeded({ ...page.value, items: await viewsOf(page.value.items) }) : page;
  };
  const revokeKey = async (userId: string, id: string, note: AuditNote): Promise<Result<null>> => {
    const key = await store.apiKeys.get(id);
    if (key === null || key.userId !== userId) return noKey;
    note.parameters = { ...note.parameters, key: key.name, prefix: key.prefix };
    await store.apiKeys.revoke(id, now());
    return succeeded(null);
  };

  /** The only response that contains the key; it is stored as a hash. */
  const createKey = async (owner: Principal, input: NewApiKeyFields, note: AuditNote) => {
    const days = input.expiresInDays === undefined ? DEFAULT_KEY_DAYS : input.expiresInDays;
    const queries = input.queries ?? null;
    const limits: KeyLimits | null = readLimits(input.limits);
    const problems = [
      ...ownProblems(input.name, days),
      ...(queries === null ? [] : await queryProblems(store, owner, queries)),
      ...limitProblems(limits, settings()),
      ...toolProblems(input.tools, queries),
    ];
    if (problems.length > 0) return failed({ kind: 'FieldInvalid', problems });

    const createdAt = now();
    const { key, ...generated } = generateApiKey();
    const stored: ApiKey = {
      ...generated,
      userId: owner.userId,
      name: input.name,
      queries: queries === null ? null : [...new Set(queries)],
      limits,
      tools: input.tools ?? 'generic',
      createdAt,
      lastUsedAt: null,
      expiresAt: earliest(days === null ? null : createdAt + days * DAY_MS, owner.expiresAt),
      revokedAt: null,
    };
    const view = apiKeyView(stored, createdAt, settings());
    const { name, prefix, expiresAt } = view;
    note.parameters = {
      ...note.parameters,
      key: name,
      prefix,
      expiresAt,
      queries: view.queries,
      ...(limits === null ? {} : { limits }),
      ...(view.tools === 'generic' ? {} : { tools: view.tools }),
    };
    if (!(await store.apiKeys.insert(stored, ACTIVE_KEYS_PER_USER, createdAt))) return allTaken;
    return succeeded({ ...view, key });
  };

  return {
    list: (actor: Principal, request: ListRequest) => listKeys(actor.userId, request),
    create: createKey,
    /** Earlier audit entries keep the former name. */
    async rename(actor: Principal, id: string, name: string | undefined, note: AuditNote) {
      const key = await store.apiKeys.get(id);
      if (key === null || key.userId !== actor.userId) return noKey;
      note.parameters = { key: key.name, prefix: key.prefix };
      const problem = name === undefined ? null : nameProblem(name);
      if (problem !== null) return failed(fieldInvalid('name', problem));
      const renamed = { ...key, name: name ?? key.name };
      if (renamed.name !== key.name) {
        note.parameters = { ...note.parameters, changed: { name: { from: key.name, to: renamed.name } } };
        await store.apiKeys.rename(id, renamed.name);
      }
      const [view] = await viewsOf([renamed]);
      return view === undefined ? noKey : succeeded(view);
    },
    revoke: (actor: Principal, id: string, note: AuditNote) => revokeKey(actor.userId, id, note),
    /** A key of an application; persons create their own. Callers of this and what follows must have checked `users.manage`. */
    async createFor(actor: Principal, userId: string, input: NewApiKeyFields, note: AuditNote) {
      const user = await findApplicationToActAs(store, actor, userId);
      if (!user.ok) return user;
      note.parameters = { user: user.value.username };
      const standing = await store.principals.byUserId(userId);
      const owner = standing && principalOf(standing, { kind: 'basic' }, now());
      return owner?.ok ? createKey(owner.value, input, note) : inactive;
    },
    async listFor(actor: Principal, userId: string, request: ListRequest) {
      const user = await findReachableUser(store, actor, userId);
      return user.ok ? listKeys(userId, request) : user;
    },
    async revokeFor(actor: Principal, userId: string, keyId: string, note: AuditNote) {
      const user = await findReachableUser(store, actor, userId);
      if (!user.ok) return user;
      note.parameters = { user: user.value.username };
      return revokeKey(userId, keyId, note);
    },
    async revokeAllFor(actor: Principal, userId: string, note: AuditNote): Promise<Result<null>> {
      const user = await findReachableUser(store, actor, userId);
      if (!user.ok) return user;
      const active = (await store.apiKeys.listForUser(userId)).filter((key) => apiKeyState(key, now()) === 'active');
      note.parameters = { user: user.value.username, keys: active.map((key) => key.name) };
      for (const key of active) await store.apiKeys.revoke(key.id, now());
      return succeeded(null);
    },
  };
}

const noKey = failed({ kind: 'NotFound', what: 'API key with this id' });

const inactive = failed({ kind: 'StateConflict', reason: 'The application is disabled or has expired.' });

const allTaken = failed({
  kind: 'LimitReached',
  reason: `This account has ${ACTIVE_KEYS_PER_USER} active API keys, which is the maximum. Revoke one first.`,
});

function ownProblems(name: string, days: number | null): FieldProblem[] {
  const problem = nameProblem(name);
  const problems = problem === null ? [] : [{ field: 'name', message: problem }];
  if (days === null || (Number.isInteger(days) && days >= 1 && days <= MAX_KEY_DAYS)) return problems;
  return [
    ...problems,
    { field: 'expiresInDays', message: `Expected a whole number from 1 to ${MAX_KEY_DAYS}, or null for never.` },
  ];
}

/** A key can be restricted to queries that its user may run. Inaccessible and unknown names get the same message. */
export async function queryProblems(store: MetadataStore, actor: Principal, names: readonly string[]): Promise<FieldProblem[]> {
  if (names.length === 0) return [{ field: 'queries', message: 'Name at least one query, or leave the field out.' }];
  const problems: FieldProblem[] = [];
  for (const [index, name] of names.entries()) {
    const query = lineProblem(name, 1000) === null ? await store.queries.byQueryName(name) : null;
    if (query === null || !mayRun(actor, query))
      problems.push({
        field: `queries.${index}`,
        message: 'There is no Active query with this technical name that you may run.',
      });
  }
  return problems;
}

/** A model reads the list of tools on each turn: with more than a few dozen, it chooses worse. */
const MAX_TYPED = 40;

function toolProblems(tools: KeyTools | undefined, queries: readonly string[] | null): FieldProblem[] {
  const isPossible = tools !== 'typed' || (queries !== null && queries.length >= 1 && new Set(queries).size <= MAX_TYPED);
  return isPossible
    ? []
    : [{ field: 'tools', message: `A tool per query needs a key for 1 to ${MAX_TYPED} queries. Name them in queries.` }];
}

function earliest(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}

function apiKeyView(key: ApiKey, now: number, settings: Config, rowsToday = 0) {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    createdAt: isoTime(key.createdAt),
    lastUsedAt: isoTime(key.lastUsedAt),
    expiresAt: isoTime(key.expiresAt),
    state: apiKeyState(key, now),
    queries: key.queries,
    tools: key.tools,
    limits: limitsInEffect(key.limits, settings),
    rowsToday,
  };
}

/** Requested limits; null or left out: the key has no separate limit. */
type KeyLimitFields = { readonly [Limit in keyof KeyLimits]?: number | null | undefined };

type Name = keyof KeyLimits;

export const MAX_LIMITS: Readonly<Record<Name, number>> = { callsPerSecond: 1_000_000, rowsPerDay: 1e12, concurrent: 1000 };
const names: readonly Name[] = ['callsPerSecond', 'rowsPerDay', 'concurrent'];

/** The limits stored with the key; null if it has none. */
function readLimits(fields: KeyLimitFields | null | undefined): KeyLimits | null {
  const entries = names.flatMap((name) => {
    const limit = fields?.[name] ?? null;
    return limit === null ? [] : [[name, limit] as const];
  });
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

/** A key's own limits can only be lower than the general ones. */
function limitProblems(limits: KeyLimits | null, settings: Config): readonly FieldProblem[] {
  return names.flatMap((name) => {
    const requested = limits?.[name];
    if (requested === undefined) return [];
    const generalLimit = settings[settingNames[name]];
    if (!Number.isInteger(requested) || requested < 1 || requested > MAX_LIMITS[name])
      return [limitProblem(name, `Expected a whole number from 1 to ${MAX_LIMITS[name]}, or null for no limit of its own.`)];
    if (generalLimit === 0 || requested <= generalLimit) return [];
    return [limitProblem(name, `Every key is limited to ${generalLimit}: a key may have a lower limit, not a higher one.`)];
  });
}

/** The limits that apply to a key, its own or the general ones; null: no limit. */
function limitsInEffect(own: KeyLimits | null, settings: Config) {
  const limitOf = (name: Name): number | null => resolveLimit(own?.[name], settings[settingNames[name]]) || null;
  return { callsPerSecond: limitOf('callsPerSecond'), rowsPerDay: limitOf('rowsPerDay'), concurrent: limitOf('concurrent') };
}

const settingNames = { callsPerSecond: 'ratePerKey', rowsPerDay: 'keyRowsPerDay', concurrent: 'keyConcurrent' } as const;

const limitProblem = (name: Name, message: string): FieldProblem => ({ field: `limits.${name}`, message });
