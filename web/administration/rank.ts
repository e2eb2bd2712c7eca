import { can } from '../app/session.tsx';
import type { Role, Session, User } from '../app/wire.ts';

export const isAdministrator = (session: Session): boolean => session.roles.includes('Administrator');

/** Nobody gives a permission that they lack. */
export const mayGrant = (session: Session, role: Role): boolean =>
  (role.permissions ?? []).every((permission) => can(session, permission));

/** Administrator stays as it is, and what gives more than one has oneself is for others to change. */
export const mayChangeRole = (session: Session, role: Role): boolean => role.builtIn !== true && mayGrant(session, role);

/**
 * Whether the service lets this person change that account at all: one that can do more is out of reach, since a new password would
 * hand it over, and so is one with databases that this person, who has rights in some, does not have. Roles that queries name are
 * known to the service alone, which refuses them.
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
