import type { Session } from './session.ts';

/** Warnings about the account, for the user who tests the connection. */
export async function warningsOf(session: Session): Promise<string[]> {
  const [[schema] = []] = await session.rows('SELECT DATABASE()');
  const rights = (await grantsOf(session)).flatMap(([grant]) => rightsOf(String(grant), String(schema)));
  const warnings: string[] = [];
  if (rights.some(({ right, object }) => object === '*.*' && (right === 'ALL PRIVILEGES' || right === 'SUPER'))) {
    warnings.push('The account is an administrator of the server. Use one that may only SELECT.');
  }
  if (rights.some(({ right }) => right === 'FILE')) {
    warnings.push('The account can read files of the server (FILE), and a SELECT is enough for that.');
  }
  const more = rights.filter(({ right }) => !harmless.has(right) && right !== 'FILE');
  const objects = [...Map.groupBy(more, ({ object }) => object)].map(
    ([object, each]) => `${[...new Set(each.map(({ right }) => right))].slice(0, 8).join(', ')} on ${object}`,
  );
  if (objects.length > 0) warnings.push(`The account can do more than read: ${objects.slice(0, 4).join('; ')}.`);
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
  readonly object: string; // `shop`.*
}

function rightsOf(grant: string, schema: string): Right[] {
  const [, list, object = '', grantee] = /^GRANT (.+?) ON (.+?) TO (\S+)/.exec(grant) ?? [];
  if (list === undefined) return []; // a role: its privileges have separate lines
  if (grantee === 'PUBLIC' && isTestSchema(object) && !/^test(_|$)/i.test(schema)) return [];
  const names = list.replace(/\([^()]*\)/g, '').split(','); // SELECT (id, name)
  const suffix = grantee === 'PUBLIC' ? ' (granted to PUBLIC)' : '';
  return names.map((name) => ({ right: name.trim().toUpperCase(), object: `${object}${suffix}` }));
}

/** MariaDB grants these to every account when it is installed. */
const isTestSchema = (object: string): boolean => /^`test(\\+_%)?`\.\*$/.test(object);

/** EXECUTE, too: the read-only transaction refuses writes of functions. */
const harmless: ReadonlySet<string> = new Set(['USAGE', 'SELECT', 'SHOW VIEW', 'SHOW DATABASES', 'EXECUTE', 'PROCESS']);
