import { bindNull, type Connector, type OpenRequest } from '../connector.ts';
import type { NetworkSettings } from '../network/network-engine.ts';
import { requireWritable } from '../statements/refusals.ts';
import { Database } from './database.ts';
import { renderParameters } from './parameters.ts';
import { describe, prepareEpilogue } from './prepare.ts';
import { run } from './run.ts';
import { readSchema } from './schema.ts';
import type { Session } from './session.ts';

/** Does not connect: the first run does. */
export function openMysql(settings: NetworkSettings, { context, writable }: OpenRequest): Connector {
  const database = new Database(settings, context.connections, writable);
  return {
    describe: (sql, parameters, signal) => database.use(signal, (session) => describe(session, sql, parameters)),
    async checkEpilogue(sql, parameters, signal) {
      requireWritable(database);
      const rendered = renderParameters(sql, parameters.map(bindNull));
      await database.use(signal, (session) => prepareEpilogue(session, rendered), 'READ WRITE');
    },
    run: (statement, options, signal) => run(database, statement, options, signal),
    schema: (signal) => database.use(signal, readSchema),
    async ping(signal) {
      const warnings = await database.use(signal, listWarnings);
      if (!writable) return warnings;
      return ['The connection is marked writable: the Epilogue of a query can change the database.', ...warnings];
    },
    close: () => database.close(),
  };
}

/** Warnings about the account, for the user who tests the connection. */
export async function listWarnings(session: Session): Promise<string[]> {
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
