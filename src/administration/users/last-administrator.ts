import { administratorRole } from '../../access/permission.ts';
import type { Role, User } from '../../access/user.ts';
import { failed } from '../../errors.ts';
import type { Repositories } from '../../store/metadata-store.ts';

/**
 * At least one local account must remain Administrator, independent of the OpenID Connect provider. Call within the writing
 * transaction, so that two administrators cannot demote each other concurrently. `after` is null if the user is deleted.
 */
export async function leavesNoAdministrator(
  users: Repositories['users'],
  roles: readonly Role[],
  before: User,
  after: User | null,
  now: number,
): Promise<boolean> {
  const role = roles.find((each) => each.name === administratorRole);
  if (role === undefined) return false;
  const heldUntil = administersUntil(before, role, now);
  const willHoldUntil = after === null ? now : administersUntil(after, role, now);
  if (willHoldUntil >= heldUntil) return false;
  return (await users.countOthersWithRole(role.id, before.id, willHoldUntil)) === 0;
}

export const lastAdministrator = failed({
  kind: 'StateConflict',
  reason:
    'This is the last Administrator with a local account, which cannot be disabled, demoted, deleted or given an expiry. Make another user Administrator first.',
});

function administersUntil(user: User, role: Role, now: number): number {
  if (user.externalId !== null || user.disabled || !user.roleIds.includes(role.id)) return now;
  return Math.max(now, user.expiresAt ?? Number.POSITIVE_INFINITY);
}
