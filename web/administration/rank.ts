import { can } from '../app/session.tsx';
import type { Role, Session, User } from '../app/wire.ts';

export const isAdministrator = (session: Session): boolean => session.roles.includes('Administrator');

/** Users can grant only permissions that they have. */
export const mayGrant = (session: Session, role: Role): boolean =>
  (role.permissions ?? []).every((permission) => can(session, permission));

/** Users can change a role only if they could grant it; Administrator cannot be changed. */
export const mayChangeRole = (session: Session, role: Role): boolean => role.builtIn !== true && mayGrant(session, role);

/**
 * Whether the service lets this user change the account. It refuses an account with more rights, because a new password would hand it
 * over, and an account with databases outside the user's own scope. Only the service knows which roles queries name, and checks
 * those itself.
 */
export function mayChangeUser(session: Session, user: User, roles: readonly Role[]): boolean {
  const theirs = roles.filter(({ name }) => user.roles.includes(name));
  if (!theirs.every((role) => mayGrant(session, role))) return false;
  return !isLimitedByScope(session) || user.databases.every((name) => session.databases.includes(name));
}

const isLimitedByScope = (session: Session): boolean =>
  !isAdministrator(session) &&
  !session.databases.includes('*') &&
  session.permissions.some((permission) => permission.startsWith('queries.'));
