import { can } from '../app/session.tsx';
import type { Permission, Role, Session, User } from '../app/wire.ts';

export const isAdministrator = (session: Session): boolean => session.roles.includes('Administrator');

/** Nobody gives a permission that they lack. */
export const mayGive = (session: Session, role: Role): boolean =>
  (role.permissions ?? []).every((permission) => can(session, permission));

/** Administrator stays as it is, and what gives more than one has oneself is for others to change. */
export const mayChangeRole = (session: Session, role: Role): boolean => role.builtIn !== true && mayGive(session, role);

/**
 * Whether the service lets this person change that account at all: one that can do more is out of reach, since a new password would
 * hand it over, and so is one that reads databases which this person may not read.
 */
export function mayChangeUser(session: Session, user: User, roles: readonly Role[]): boolean {
  const theirs = roles.filter(({ name }) => user.roles.includes(name));
  if (!theirs.every((role) => mayGive(session, role))) return false;
  const theyRead = theirs.some(({ permissions = [] }) => permissions.some(readsData));
  return !theyRead || !isLimitedReader(session) || user.databases.every((name) => session.databases.includes(name));
}

const isLimitedReader = (session: Session): boolean =>
  !isAdministrator(session) && !session.databases.includes('*') && session.permissions.some(readsData);

const readsData = (permission: Permission): boolean => permission === 'queries.run' || permission === 'queries.author';
