import type { Session } from './session.ts';

/** Privileges of the account beyond reading, for the user who tests the connection. */
export async function accountWarnings(session: Session, writable: boolean): Promise<string[]> {
  const [row] = await session.rows(rights);
  const [administers, owns, writes, creates, executes] = (row ?? []).map((cell) => cell === 1);
  const warnings: string[] = [];
  if (administers) warnings.push('The account administers the server.');
  else if (owns) warnings.push('The account owns the database.');
  else {
    if (writes) {
      warnings.push('The account can change rows. SQL Server has no read-only sessions: give it db_datareader and nothing else.');
    }
    if (creates) warnings.push('The account can create or alter objects.');
    if (executes) warnings.push('The account can execute procedures of the database.');
  }
  if (writable) warnings.push('The connection is marked writable: an Epilogue can change its data.');
  return warnings;
}

const rights = `
  SELECT
    CASE WHEN IS_SRVROLEMEMBER('sysadmin') = 1 OR HAS_PERMS_BY_NAME(NULL, NULL, 'CONTROL SERVER') = 1 THEN 1 ELSE 0 END,
    CASE WHEN IS_ROLEMEMBER('db_owner') = 1 OR HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'CONTROL') = 1 THEN 1 ELSE 0 END,
    CASE WHEN IS_ROLEMEMBER('db_datawriter') = 1
        OR HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'INSERT') = 1
        OR HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'UPDATE') = 1
        OR HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'DELETE') = 1
        OR EXISTS (
          SELECT 1 FROM sys.objects o
          CROSS APPLY (VALUES (QUOTENAME(SCHEMA_NAME(o.schema_id)) + '.' + QUOTENAME(o.name))) AS full_name (text)
          WHERE o.type IN ('U', 'V') AND o.is_ms_shipped = 0
            AND (HAS_PERMS_BY_NAME(full_name.text, 'OBJECT', 'INSERT') = 1
              OR HAS_PERMS_BY_NAME(full_name.text, 'OBJECT', 'UPDATE') = 1
              OR HAS_PERMS_BY_NAME(full_name.text, 'OBJECT', 'DELETE') = 1)
        ) THEN 1 ELSE 0 END,
    CASE WHEN IS_ROLEMEMBER('db_ddladmin') = 1
        OR HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'CREATE TABLE') = 1
        OR HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'ALTER') = 1 THEN 1 ELSE 0 END,
    CASE WHEN HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'EXECUTE') = 1 THEN 1 ELSE 0 END`;
