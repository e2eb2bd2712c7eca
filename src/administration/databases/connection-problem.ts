import type { ConnectionError, ConnectionErrorCodes, ConnectorError } from '../../connectors/connector.ts';

/** An error of a connection for the person who manages it. */
export interface ConnectionProblem {
  readonly message: string; // what is wrong and what to check
  readonly detail?: string; // the text of the driver or the server
}

/** Errors of drivers and servers are explained by their codes; other messages are ours already. */
export function connectionProblem(error: ConnectorError, engineCodes: ConnectionErrorCodes = {}): ConnectionProblem {
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
  {
    of: 'credentials',
    message: 'The database refused the user or the password. Check both.',
  },
  {
    of: 'admission',
    text: /pg_hba/,
    message: 'The server does not admit this user from here, or only with TLS. Check the user, TLS and the rules of the server.',
  },
  {
    of: 'database',
    message: 'The server has no database with this name, or the user may not use it. Check the database.',
  },
  {
    of: 'busy',
    message: 'The server has no free connection. Try again later, or raise its limit.',
  },
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
