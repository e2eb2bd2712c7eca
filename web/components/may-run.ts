import type { Query, Session } from '../app/wire.ts';

/** As the service decides it; it decides again when the query is run. */
export const mayRun = (session: Session, { status, roles, database }: Query): boolean =>
  status === 'Active' &&
  session.permissions.includes('queries.run') &&
  (roles.length === 0 || roles.some((role) => session.roles.includes(role))) &&
  (session.databases.includes('*') || session.databases.includes(database));
