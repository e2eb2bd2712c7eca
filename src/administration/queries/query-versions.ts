import { has, type Principal } from '../../access/principal.ts';
import { activationOf } from '../../catalog/lifecycle.ts';
import { failed, succeeded } from '../../core/errors.ts';
import type { AdministrationParts, AuditNote } from '../change.ts';
import { isoTime } from '../iso-time.ts';
import { permissionDenied } from '../users/grant-rules.ts';
import { findQuery } from './query-rights.ts';
import { readCatalogNames, versionView } from './query-view.ts';

export type QueryVersions = ReturnType<typeof createQueryVersions>;

/** The versions of a query that callers can pin. */
export function createQueryVersions({ store, now }: AdministrationParts) {
  return {
    /** From `at` on, calls that name the version are refused. */
    retire: (actor: Principal, id: string, number: number, at: number = now(), note: AuditNote) =>
      store.transaction(async (repositories) => {
        const found = await findQuery(repositories, actor, id);
        if (!found.ok) return found;
        if (!has(actor, 'queries.publish')) return permissionDenied('queries.publish');
        const query = found.value;
        note.query = query.queryName;
        note.queryVersion = number;
        note.parameters = { retiresAt: isoTime(at) };
        const current = activationOf(query.current).number;
        const activated = number > query.lastVersion ? null : await repositories.queries.readActivated(id, number);
        if (activated === null)
          return failed({ kind: 'VersionUnknown', of: { queryName: query.queryName, version: number, current } });
        if (number === current) return failed({ kind: 'StateConflict', reason: CURRENT });
        await repositories.queries.retire(id, number, at);
        const { version } = activated;
        const retired = { ...version, activation: { ...activationOf(version), retiresAt: at } };
        return succeeded(versionView(actor, query, retired, await readCatalogNames(repositories, [version])));
      }),
  };
}

const CURRENT = 'The current version cannot be retired. Activate another one first, or deactivate the query.';
