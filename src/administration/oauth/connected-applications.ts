import type { Principal } from '../../access/principal.ts';
import { failed, type Result, succeeded } from '../../core/errors.ts';
import type { ListRequest, OAuthGrant } from '../../store/metadata-store.ts';
import type { AdministrationParts, AuditNote } from '../change.ts';
import { isoTime } from '../iso-time.ts';
import { paginate } from '../paginate.ts';
import { findReachableUser } from '../users/applications.ts';
import { identityOf } from './application-identity.ts';

export type ConnectedApplications = ReturnType<typeof createConnectedApplications>;

/** The AI applications that may call for a user. Deleting a grant ends the access immediately, in all processes. */
export function createConnectedApplications({ store, now }: AdministrationParts) {
  const listOf = async (userId: string, request: ListRequest) => {
    const grants = await store.oauth.listGrants(userId, now());
    return paginate(grants.map(grantView), ({ name }) => name, request);
  };
  const end = async (userId: string, id: string, note: AuditNote): Promise<Result<null>> => {
    const grant = await store.oauth.getGrant(id);
    if (grant === null || grant.userId !== userId) return noGrant;
    note.parameters = { ...note.parameters, application: grant.application, clientId: grant.clientId };
    return (await store.oauth.deleteGrant(id)) ? succeeded(null) : noGrant;
  };
  return {
    list: (actor: Principal, request: ListRequest) => listOf(actor.userId, request),
    end: (actor: Principal, id: string, note: AuditNote) => end(actor.userId, id, note),
    /** Callers of `listFor` and `endFor` must have checked `users.manage`. */
    async listFor(actor: Principal, userId: string, request: ListRequest) {
      const user = await findReachableUser(store, actor, userId);
      return user.ok ? listOf(userId, request) : user;
    },
    async endFor(actor: Principal, userId: string, id: string, note: AuditNote): Promise<Result<null>> {
      const user = await findReachableUser(store, actor, userId);
      if (!user.ok) return user;
      note.parameters = { user: user.value.username };
      return end(userId, id, note);
    },
  };
}

const noGrant = failed({ kind: 'NotFound', what: 'connected application with this id' });

const grantView = ({ id, application, clientId, queries, isManaged, createdAt, lastUsedAt, expiresAt }: OAuthGrant) => ({
  id,
  name: application,
  clientId,
  ...identityOf(clientId),
  queries,
  managed: isManaged,
  createdAt: isoTime(createdAt),
  lastUsedAt: isoTime(lastUsedAt),
  expiresAt: isoTime(expiresAt),
});
