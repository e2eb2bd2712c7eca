import type { Session } from './session.ts';

/** Warnings about the account, for the user who tests the connection. */
export async function warningsOf(session: Session): Promise<string[]> {
  const rights = (await grantsOf(session)).flatMap(([grant]) => rightsOf(String(grant)));
  const warnings: string[] = [];
  if (rights.some(({ right, everywhere }) => everywhere && (right === 'ALL PRIVILEGES' || right === 'SUPER'))) {
    warnings.push('The account is an administrator of the server. Use one that may only SELECT.');
  }
  if (rights.some(({ right }) => right === 'FILE')) {
    warnings.push('The account can read files of the server (FILE), and a SELECT is enough for that.');
  }
  const more = [...new Set(rights.map(({ right }) => right))].filter((right) => !harmless.has(right) && right !== 'FILE');
  if (more.length > 0) warnings.push(`The account can do more than read: ${more.slice(0, 8).join(', ')}.`);
  return warnings;
}

async function grantsOf(session: Session): Promise<unknown[][]> {
  if (session.mariadb) return session.rows('SHOW GRANTS');
  // MySQL lists the privileges of roles only when the roles are named
  const [[roles] = []] = await session.rows('SELECT CURRENT_ROLE()');
  return session.rows(roles === 'NONE' ? 'SHOW GRANTS' : `SHOW GRANTS FOR CURRENT_USER() USING ${roles}`);
}

interface Right {
  readonly right: string;
  readonly everywhere: boolean;
}

function rightsOf(grant: string): Right[] {
  const [, list, object] = /^GRANT (.+?) ON (.+?) TO /.exec(grant) ?? [];
  if (list === undefined) return []; // a role: its privileges have separate lines
  const names = list.replace(/\([^()]*\)/g, '').split(','); // SELECT (id, name)
  return names.map((name) => ({ right: name.trim().toUpperCase(), everywhere: object === '*.*' }));
}

/** EXECUTE, too: the read-only transaction refuses writes of functions. */
const harmless: ReadonlySet<string> = new Set(['USAGE', 'SELECT', 'SHOW VIEW', 'SHOW DATABASES', 'EXECUTE', 'PROCESS']);
