import type { Requests } from './request.ts';

/** Warnings for the user who tests the connection. */
export async function accountWarnings(requests: Requests, writable: boolean): Promise<readonly string[]> {
  await requests.rows('SELECT 1');
  const warnings: string[] = [];
  if (writable) {
    warnings.push('ClickHouse has no transactions: queries with an Epilogue cannot run, although this is marked writable.');
  }
  if (await mayWrite(requests)) {
    warnings.push('This account may write. Queries run with readonly=1, but an account with SELECT alone is safer.');
  }
  return warnings;
}

async function mayWrite(requests: Requests): Promise<boolean> {
  const [known] = await requests.rows("SELECT count() FROM system.tables WHERE database = 'system' AND name = 'grants'");
  if (known?.[0] !== '1') return false; // an old server without grants
  const [found] = await requests.rows(
    `SELECT count() FROM system.grants WHERE (user_name = currentUser() OR has(currentRoles(), role_name))
     AND toString(access_type) NOT IN ('SELECT', 'SHOW', 'SHOW DATABASES', 'SHOW TABLES', 'SHOW COLUMNS', 'SHOW DICTIONARIES', 'dictGet')`,
  );
  return found?.[0] !== '0';
}
