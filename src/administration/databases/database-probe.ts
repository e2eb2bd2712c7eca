import { has, isInScope, type Principal } from '../../access/principal.ts';
import {
  type Connections,
  type Connector,
  ConnectorError,
  type Engine,
  type SchemaTree,
  type ConnectionError,
  type ConnectionErrorCodes,
} from '../../connectors/connector.ts';
import { endsWithin } from '../../core/concurrency/ends-within.ts';
import { failed, succeeded } from '../../core/errors.ts';
import type { DatabaseRecord } from '../../store/metadata-store.ts';
import { explainToAuthor } from '../author-failure.ts';
import type { AuditNote } from '../change.ts';
import { permissionDenied } from '../users/grant-rules.ts';
import { resolveConnection } from './database-connection.ts';
import {
  type DatabaseInput,
  type DatabaseParts,
  findManaged,
  managesDatabases,
  databaseNotFound,
  seesDatabase,
  storedConnection,
  describeKinds,
} from './databases.ts';

export type UnsavedDatabase = Pick<DatabaseInput, 'name' | 'kind' | 'connection' | 'settings' | 'writable'> & {
  /** A stored database whose secrets may be used, under the same rule as for updates. */
  readonly id?: string | undefined;
};
interface ProbeResult {
  readonly ok: boolean;
  readonly message?: string;
  readonly detail?: string; // the text of the driver or the server
}

export type DatabaseProbe = ReturnType<typeof createDatabaseProbe>;

export interface ProbeParts extends DatabaseParts {
  readonly connections: Pick<Connections, 'connectorFor' | 'forget'>;
}

const TEST_MS = 10_000;

/** Requests to a database itself rather than to its record. */
export function createDatabaseProbe(parts: ProbeParts) {
  const { store, connections } = parts;
  return {
    async test(actor: Principal, id: string, signal: AbortSignal, note: AuditNote) {
      const found = await findManaged(store, actor, id);
      if (!found.ok) return found;
      note.parameters = { database: found.value.name };
      const engine = parts.engines.find(({ kind }) => kind === found.value.kind);
      const ping = async (bounded: AbortSignal) => (await connections.connectorFor(found.value)).ping(bounded);
      const tested = await probe(engine, signal, ping);
      if (!signal.aborted)
        await store.databases.noteTest(id, { at: parts.now(), problem: tested.ok ? null : (tested.message ?? '') });
      return succeeded(removeSecrets(tested, parts.secrets.readSecrets(found.value) ?? {}));
    },

    async testUnsaved(actor: Principal, input: UnsavedDatabase, signal: AbortSignal, note: AuditNote) {
      note.parameters = { database: input.name, kind: input.kind };
      if (!managesDatabases(actor)) return permissionDenied('databases.manage');
      const engine = parts.engines.find(({ kind }) => kind === input.kind);
      if (engine === undefined) return failed(describeKinds(parts.engines));
      const stored = input.id === undefined ? null : await store.databases.get(input.id);
      const known = stored !== null && stored.kind === input.kind && stored.deletedAt === null;
      const resolved = resolveConnection(engine, input, known ? storedConnection(parts.secrets, stored) : null, parts.context);
      if (!resolved.ok) return resolved;
      const { connection, secrets } = resolved.value;
      const request = { ...input, connection: { ...connection, ...secrets }, context: parts.context };
      const tested = await probe(engine, signal, (bounded) => pingOnce(() => engine.open(request), bounded));
      return succeeded(removeSecrets(tested, secrets));
    },

    async schema(actor: Principal, id: string, search: string | undefined, signal: AbortSignal) {
      const database = await store.databases.get(id);
      if (database === null || !seesDatabase(actor, database)) return failed(databaseNotFound(id));
      if (!has(actor, 'queries.author')) return permissionDenied('queries.author');
      if (!isInScope(actor, id)) return failed(databaseNotFound(id));
      if (database.disabled) return failed(databaseDisabled(database));
      return explainToAuthor(signal, async (bounded) => {
        const connector = await connections.connectorFor(database);
        return succeeded(filterTree(await connector.schema(bounded), search));
      });
    },
  };
}

export const databaseDisabled = (database: DatabaseRecord) =>
  ({ kind: 'StateConflict', reason: `The database ${database.name} is disabled. Enable it first.` }) as const;

async function pingOnce(open: () => Promise<Connector>, signal: AbortSignal): Promise<readonly string[]> {
  const connector = await open();
  try {
    return await connector.ping(signal);
  } finally {
    await connector.close();
  }
}

/** Enforces the time limit itself, because opening a connection does not take a signal. */
async function probe(
  engine: Engine | undefined,
  caller: AbortSignal,
  ping: (signal: AbortSignal) => Promise<readonly string[]>,
): Promise<ProbeResult> {
  const timeout = AbortSignal.timeout(TEST_MS);
  const outOfTime = { ok: false, message: `The database did not respond within ${TEST_MS / 1000} s.` };
  try {
    const pinging = ping(AbortSignal.any([caller, timeout]));
    if (!(await endsWithin(pinging, TEST_MS))) return outOfTime;
    const warnings = await pinging;
    return warnings.length === 0 ? { ok: true } : { ok: true, message: warnings.join(' ') };
  } catch (error) {
    if (timeout.aborted) return outOfTime;
    if (!(error instanceof ConnectorError)) throw error;
    return { ok: false, ...connectionProblem(error, engine?.errorCodes) };
  }
}

/** No driver is known to repeat a password, but their texts are not ours. */
function removeSecrets({ detail, ...result }: ProbeResult, secrets: Readonly<Record<string, unknown>>): ProbeResult {
  if (detail === undefined) return result;
  const texts = Object.values(secrets).filter((secret) => typeof secret === 'string' && secret !== '');
  return { ...result, detail: texts.reduce((text: string, secret) => text.replaceAll(String(secret), '***'), detail) };
}

function filterTree(tree: SchemaTree, search: string | undefined): SchemaTree {
  const part = search?.toLowerCase() ?? '';
  if (part === '') return tree;
  const matches = (text: string): boolean => text.toLowerCase().includes(part);
  const tables = tree.tables.filter(
    (table) => matches(`${table.schema}.${table.name}`) || table.columns.some((column) => matches(column.name)),
  );
  return { ...tree, tables };
}

/** An error of a connection for the person who manages it. Errors of drivers and servers are explained by their codes; other messages are ours already. */
export function connectionProblem(error: ConnectorError, engineCodes: ConnectionErrorCodes = {}) {
  const found = codesOf(error);
  const explanation = explanations.find(({ of, codes = [], text }) => {
    const known = of === undefined ? codes : [...codes, ...(engineCodes[of] ?? [])];
    return known.some((code) => found.has(code)) || text?.test(error.message);
  });
  if (explanation !== undefined) return { message: explanation.message, detail: error.message };
  if (error.cause === undefined) return { message: error.message };
  return { message: 'The connection failed with an error of the database or its driver.', detail: error.message };
}

/** The codes of an error and its causes: of Node.js, of drivers, and of servers (SQLSTATE or a number). */
function codesOf(error: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (!(error instanceof Error)) return found;
  for (const name of ['code', 'errno', 'number', 'status']) {
    const value: unknown = Reflect.get(error, name);
    if (typeof value === 'string' || typeof value === 'number') found.add(String(value));
  }
  if (error instanceof AggregateError) for (const each of error.errors) codesOf(each, found);
  return codesOf(error.cause, found);
}

interface Explanation {
  readonly of?: ConnectionError; // codes of the engine
  readonly codes?: readonly string[]; // of Node.js
  readonly text?: RegExp; // of errors without a code
  readonly message: string;
}

/** The first that fits. */
const explanations: readonly Explanation[] = [
  {
    codes: ['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA'],
    message: 'The name of the host cannot be resolved. Check the host.',
  },
  {
    codes: ['ECONNREFUSED'],
    message: 'Nothing accepts connections at this host and port. Check both, and that the database is running.',
  },
  { of: 'credentials', message: 'The database refused the user or the password. Check both.' },
  {
    of: 'admission',
    text: /pg_hba/,
    message: 'The server does not admit this user from here, or only with TLS. Check the user, TLS and the rules of the server.',
  },
  {
    of: 'database',
    message: 'The server has no database with this name, or the user may not use it. Check the database.',
  },
  { of: 'busy', message: 'The server has no free connection. Try again later, or raise its limit.' },
  { of: 'starting', message: 'The server is starting or stopping. Try again in a moment.' },
  {
    codes: ['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    text: /UNABLE_TO_GET_ISSUER_CERT|self-signed certificate/,
    message: 'The certificate of the server is not signed by a trusted authority. Enter its CA certificate under TLS.',
  },
  { codes: ['CERT_HAS_EXPIRED'], message: 'The certificate of the server has expired. Renew it on the server.' },
  {
    codes: ['ERR_TLS_CERT_ALTNAME_INVALID'],
    message: 'The certificate of the server is for another name. Check the host, or enter the name under TLS → Server name.',
  },
  {
    of: 'withoutTls',
    codes: ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER'],
    text: /does not support SSL|wrong version number|ssl connection/i,
    message: 'The server does not use TLS at this port. Check the port, enable TLS on the server, or switch TLS off here.',
  },
  {
    of: 'timeout',
    codes: ['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN'],
    text: /timeout expired|timed? ?out/i,
    message: 'The server did not respond in time. Check host and port, and that firewalls allow the connection.',
  },
  {
    of: 'closed',
    codes: ['ECONNRESET', 'EPIPE'],
    text: /Connection terminated|socket hang up|connection lost/i,
    message: 'The server closed the connection. Check the port, the kind of database, and TLS.',
  },
];
