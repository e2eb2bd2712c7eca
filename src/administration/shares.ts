import type { KeyRing } from '../access/key-ring.ts';
import { has, type Principal } from '../access/principal.ts';
import {
  createLifetime,
  createShareParameters,
  type Share,
  isShareExpired,
  type ShareKind,
  type ShareParameters,
  type ShareTokens,
} from '../access/share.ts';
import type { SentValue } from '../catalog/parameter.ts';
import { failed, type Result, succeeded } from '../core/errors.ts';
import { listAll } from '../core/list-all.ts';
import { readNamedVersion } from '../pipeline/find-query.ts';
import type { RowQuota } from '../pipeline/limits/row-quota.ts';
import type { ListRequest, MetadataStore, Repositories, ShareRepository } from '../store/metadata-store.ts';
import type { AuditNote } from './change.ts';
import { isoTime } from './iso-time.ts';
import { isAdministrator, permissionDenied } from './users/grant-rules.ts';

export interface ShareParts {
  readonly store: Pick<MetadataStore, 'embeds' | 'links' | 'users' | 'queries' | 'catalog' | 'databases'>;
  readonly tokens: ShareTokens;
  readonly parameters: ShareParameters;
  readonly now: () => number;
  /** Views count against no key: keys with a row limit get no token. */
  readonly rowQuota: Pick<RowQuota, 'limits'>;
}

const words = {
  embed: { what: 'embed with this id', permission: 'embeds.create' },
  link: { what: 'data link with this id', permission: 'links.create' },
} as const;

/** What embeds and data links have in common: users see, regenerate and revoke their own, Administrators everyone's. */
export function createShares<S extends Share>(
  kind: ShareKind,
  repository: ShareRepository<S>,
  { store, tokens, parameters, now, rowQuota }: ShareParts,
) {
  const { permission } = words[kind];
  const missing = failed({ kind: 'NotFound', what: words[kind].what });
  const findReachable = async (actor: Principal, id: string, note: AuditNote): Promise<Result<S>> => {
    const share = await repository.get(id);
    if (share === null || !(share.userId === actor.userId || isAdministrator(actor))) return missing;
    note.query = share.queryName;
    note.parameters = { [kind]: id };
    return succeeded(share);
  };
  /** The same for a change that gives others access. */
  const findChangeable = async (actor: Principal, id: string, note: AuditNote) => {
    const found = await findReachable(actor, id, note);
    if (!found.ok) return found;
    if (rowQuota.limits(actor)) return failed({ kind: 'KeyLimited' });
    if (!has(actor, permission)) return permissionDenied(permission);
    return found;
  };
  return {
    missing,
    findChangeable,
    async list<View>(actor: Principal, request: ListRequest, viewOf: (actor: Principal, share: S) => Promise<View>) {
      const own = isAdministrator(actor) ? {} : { userId: actor.userId };
      const { items, nextCursor } = await repository.list({ ...request, ...own });
      return { items: await Promise.all(items.map((share) => viewOf(actor, share))), nextCursor };
    },
    /** Issues a new token, which replaces the previous one. `days` left out: the same lifetime again. */
    async regenerate(actor: Principal, id: string, days: number | null | undefined, note: AuditNote): Promise<Result<S>> {
      const found = await findChangeable(actor, id, note);
      if (!found.ok) return found;
      const issued = createLifetime(days === undefined ? found.value.days : days, now());
      note.parameters = { [kind]: id, days: issued.days };
      return (await repository.reissue(id, issued)) ? succeeded({ ...found.value, ...issued }) : missing;
    },
    async revoke(actor: Principal, id: string, note: AuditNote): Promise<Result<null>> {
      const found = await findReachable(actor, id, note);
      if (!found.ok) return found;
      return (await repository.delete(id)) ? succeeded(null) : missing;
    },
    async view(actor: Principal, share: S) {
      const [issuer, version] = await Promise.all([store.users.get(share.userId), readNamedVersion(store, share.queryName)]);
      const masked = new Set(version?.definition.parameters.filter((each) => each.masked === true).map(({ name }) => name));
      const shown = (parameters.open(share) ?? []).map(({ ParameterName, Value }): [string, SentValue] => [
        ParameterName,
        masked.has(ParameterName) && Value != null ? '***' : (Value ?? null),
      ]);
      return {
        id: share.id,
        queryName: share.queryName,
        parameters: Object.fromEntries(shown),
        issuer: issuer?.username ?? '',
        createdAt: isoTime(share.createdAt),
        issuedAt: isoTime(share.issuedAt),
        expiresAt: isoTime(share.expiresAt),
        state: isShareExpired(share, now()) ? ('expired' as const) : ('valid' as const),
        views: share.views,
        // shown to its issuer only: anyone who has it sees the rows
        token: share.userId === actor.userId && !rowQuota.limits(actor) ? tokens.sign(share) : null,
      };
    },
  };
}

const PAGE = 500;

/**
 * Seals parameter values of embeds and data links with the newest secret: all of them, or only those stored unsealed by earlier
 * versions. Returns how many.
 */
export async function sealShares(
  { embeds, links }: Pick<Repositories, 'embeds' | 'links'>,
  keys: KeyRing,
  which: 'all' | 'open',
): Promise<number> {
  const sealed = await sealEach(embeds, createShareParameters(keys, 'embed'), which);
  return sealed + (await sealEach(links, createShareParameters(keys, 'link'), which));
}

async function sealEach(repository: ShareRepository<Share>, parameters: ShareParameters, which: 'all' | 'open'): Promise<number> {
  let sealed = 0;
  for await (const share of listAll((from) => repository.list({ limit: PAGE, ...from }))) {
    const opened = needsSealing(share, which) ? parameters.open(share) : null;
    if (opened === null) continue; // sealed under a secret that no longer exists
    await repository.keepParameters(share.id, parameters.seal(share.id, opened));
    sealed++;
  }
  return sealed;
}

const needsSealing = ({ parameters }: Share, which: 'all' | 'open'): boolean =>
  typeof parameters === 'string' ? which === 'all' : parameters.length > 0;
