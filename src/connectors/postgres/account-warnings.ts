import type { Session } from './session.ts';

/** Privileges of the account beyond reading, for the user who tests the connection. */
export async function accountWarnings(session: Session, writable: boolean): Promise<string[]> {
  const [row] = await session.rows(rights);
  const [superuser, writesTables, creates, reachesServer] = (row ?? []).map((cell) => cell === 't');
  const warnings: string[] = [];
  if (superuser) {
    warnings.push(
      'The account is a superuser, whom a read-only transaction does not keep from files and programs of the server.',
    );
  } else {
    if (writesTables)
      warnings.push('The account can change rows. Queries run read-only, but a least-privilege account is safer.');
    if (creates) warnings.push('The account can create objects.');
    if (reachesServer) warnings.push('The account can reach files or programs of the server.');
  }
  if (writable) warnings.push('The connection is marked writable: an Epilogue can change its data.');
  return warnings;
}

const rights = `
  SELECT r.rolsuper,
    EXISTS (
      SELECT FROM pg_catalog.pg_class c
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'v', 'f') AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
        AND (pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
          OR pg_catalog.has_any_column_privilege(c.oid, 'INSERT, UPDATE'))
    ),
    pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE') OR EXISTS (
      SELECT FROM pg_catalog.pg_namespace n
      WHERE n.nspname !~ '^pg_' AND pg_catalog.has_schema_privilege(n.oid, 'CREATE')
    ),
    EXISTS (
      SELECT FROM pg_catalog.pg_roles p
      WHERE p.rolname IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
        AND pg_catalog.pg_has_role(p.oid, 'MEMBER')
    )
  FROM pg_catalog.pg_roles r
  WHERE r.rolname = current_user`;
