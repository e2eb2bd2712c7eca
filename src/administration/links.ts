import { randomUUID } from 'node:crypto';
import type { Principal } from '../access/principal.ts';
import { createLifetime, type DataLink } from '../access/share.ts';
import { readOpen } from '../catalog/open-parameters.ts';
import { isBound, type SentParameter, withDeclaredNames } from '../catalog/parameter.ts';
import { failed, succeeded } from '../core/errors.ts';
import { type BindParts, bindRun } from '../pipeline/bind.ts';
import type { Call } from '../pipeline/call.ts';
import { findQuery, nameAsCalled } from '../pipeline/find-query.ts';
import type { AuditDraft } from '../pipeline/steps/audit-call.ts';
import type { ListRequest } from '../store/metadata-store.ts';
import type { AuditNote } from './change.ts';
import { isoTime } from './iso-time.ts';
import { createShares, type ShareParts } from './shares.ts';

export interface LinkParts extends ShareParts {
  readonly bind: BindParts;
}

export interface LinkInput extends Pick<DataLink, 'name' | 'queryName' | 'format' | 'open' | 'days' | 'asIssuer'> {
  readonly parameters: readonly SentParameter[];
}

export type Links = ReturnType<typeof createLinks>;
export type LinkView = Awaited<ReturnType<Links['list']>>['items'][number];

const MAX_LINKS = 1000; // per user
const TOO_MANY = `You have ${MAX_LINKS} data links, as many as a user may have. Delete those that are not used any more.`;
const WRITES = 'The query has an Epilogue: each reading of its rows would change data. Link to a query without one.';

export function createLinks(parts: LinkParts) {
  const { store, now, rowQuota } = parts;
  const shares = createShares<DataLink>('link', store.links, parts);
  const viewOf = async (actor: Principal, link: DataLink) => {
    const { name, format, open, asIssuer, days, lastViewedAt } = link;
    const shared = await shares.view(actor, link);
    return { ...shared, name, format, open, asIssuer, expiresInDays: days, lastUsedAt: isoTime(lastViewedAt) };
  };
  return {
    revoke: shares.revoke,
    list: (actor: Principal, request: ListRequest) => shares.list(actor, request, viewOf),
    async regenerate(actor: Principal, id: string, days: number | null | undefined, note: AuditNote) {
      const issued = await shares.regenerate(actor, id, days, note);
      return issued.ok ? succeeded(await viewOf(actor, issued.value)) : issued;
    },
    /** Stores the rows of a query that the caller may run as a link. Parameters that readers may send need no value yet. */
    async create(actor: Principal, input: LinkInput, call: Call, draft: AuditDraft) {
      const { queryName, name, format, days, asIssuer } = input;
      if (rowQuota.limits(actor)) return failed({ kind: 'KeyLimited' });
      const found = await findQuery(store, actor, { queryName }, call.channel);
      if (!found.ok) return found;
      const { query } = found.value;
      const { parameters: declared, epilogue } = query.current.definition;
      const form = { run: { queryName: nameAsCalled(found.value) }, parameters: input.parameters, sentOpen: input.open };
      const bound = await bindRun(parts.bind, call, actor, form, draft);
      if (!bound.ok) return bound;
      const open = readOpen(declared, input.open);
      if (!open.ok) return open;
      if (epilogue !== undefined) return failed({ kind: 'StateConflict', reason: WRITES });
      if (!asIssuer && declared.some(isBound)) return failed({ kind: 'BoundToCaller' });
      if ((await store.links.countOf(actor.userId)) >= MAX_LINKS) return failed({ kind: 'LimitReached', reason: TOO_MANY });
      const at = now();
      const id = randomUUID();
      const link: DataLink = {
        id,
        userId: actor.userId,
        queryName: nameAsCalled(found.value),
        // under their declared names, by which they are masked when the link is shown
        parameters: parts.parameters.seal(id, withDeclaredNames(declared, input.parameters)),
        ...{ name, format, open: open.value, asIssuer },
        ...createLifetime(days, at),
        createdAt: at,
        views: 0,
        lastViewedAt: null,
      };
      draft.parameters = { ...draft.parameters, link: id, days, format, open: link.open };
      await store.links.insert(link);
      return succeeded(await viewOf(actor, link));
    },
  };
}
