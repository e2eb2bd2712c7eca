import { existsSync, readFileSync } from 'node:fs';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { oidcProblem, oidcSettings } from './oidc-settings.ts';
import { replicaSettings } from './replica-settings.ts';
import {
  addressRanges,
  baseUrl,
  fileBytes,
  headerWords,
  hosts,
  host,
  integer,
  lettersAndDigits,
  list,
  logLevel,
  optionalText,
  origins,
  passphrase,
  proxies,
  type Setting,
  setting,
  text,
  timeZone,
  toggle,
  unsentBytes,
  url,
  workers,
} from './setting-schemas.ts';

/** A mistake in the settings: the start ends with this one line. */
export class ConfigError extends Error {}

/** All settings: parser, defaults, documentation and the Settings page derive from this table. */
export const settings = {
  host: setting('server.host', 'SLUICE_HOST', host, '127.0.0.1', { meaning: 'address to listen on' }),
  port: setting('server.port', 'SLUICE_PORT', integer(0, 65535), 8080, {
    meaning: 'port to listen on; 0 picks a free one and prints it',
  }),
  baseUrl: setting('server.baseUrl', 'SLUICE_BASE_URL', baseUrl.nullable(), null, {
    meaning: 'start of links and snippets, with the path below which a proxy serves everything; default: from host and port',
  }),
  dataFolder: setting('data', 'SLUICE_DATA', text, './data', { meaning: 'folder for all files that the service writes' }),
  fileFolders: setting('files', 'SLUICE_FILES', list(':'), ['./files'], {
    meaning: 'folders (separated by `:`) that may contain the SQLite and DuckDB files of users',
  }),
  metadataUrl: setting('metadata.url', 'SLUICE_METADATA_URL', url(['postgres:', 'postgresql:']).nullable(), null, {
    meaning: '`postgres://…`, required for several replicas; default: SQLite in the data folder',
    secret: true,
  }),
  ...replicaSettings,
  edition: setting('edition', 'SLUICE_EDITION', z.enum(['extended', 'standard']), 'extended', {
    meaning: '`standard` turns chart embedding off',
  }),
  mcp: setting('mcp.enabled', 'SLUICE_MCP', toggle, true, { meaning: '`off`: `/mcp` returns 404' }),
  mcpAllow: setting('mcp.allow', 'SLUICE_MCP_ALLOW', addressRanges, [], {
    meaning: 'address ranges (CIDR) that may reach `/mcp`; empty: all',
  }),
  mcpPageBytes: setting('mcp.pageBytes', 'SLUICE_MCP_PAGE_BYTES', integer(1024, 512 << 10), 65_536, {
    meaning: 'bytes of rows on a page for an AI assistant that sends no `rowSize`; 65,536 are about 20,000 tokens',
    changeable: true,
  }),
  mcpWaitSeconds: setting('mcp.waitSeconds', 'SLUICE_MCP_WAIT_SECONDS', integer(1, 300), 45, {
    meaning: 'seconds that an AI assistant waits for rows; then it gets a code to ask again, because clients give up after 60',
    changeable: true,
  }),
  demo: setting('demo', 'SLUICE_DEMO', toggle, true, { meaning: '`off`: no demo database, no demo catalog' }),
  adminPassword: setting('adminPassword', 'SLUICE_ADMIN_PASSWORD', passphrase.nullable(), null, {
    meaning: 'password of `admin`, used at the first start only',
    secret: true,
  }),
  namePrefix: setting('catalog.namePrefix', 'SLUICE_NAME_PREFIX', lettersAndDigits, 'QD', {
    meaning: 'prefix of technical names',
  }),
  rowsDefault: setting('rows.default', 'SLUICE_ROWS_DEFAULT', integer(1, 100_000), 1000, {
    meaning: 'Row Size of a call that does not specify one',
    changeable: true,
  }),
  rowsMax: setting('rows.max', 'SLUICE_ROWS_MAX', integer(1, 100_000), 1000, {
    meaning: 'largest Row Size; a larger one is clamped',
    changeable: true,
  }),
  chartRows: setting('charts.rows', 'SLUICE_CHART_ROWS', integer(1, 100_000_000), 1_000_000, {
    meaning: 'most rows that are grouped for a chart; a larger result is refused, not grouped in part',
    changeable: true,
  }),
  queryTimeoutSeconds: setting('query.timeoutSeconds', 'SLUICE_QUERY_TIMEOUT', integer(1, 300), 60, {
    meaning: 'timeout of a query in seconds; a query may set its own',
    changeable: true,
  }),
  timeZone: setting('timeZone', 'SLUICE_TIME_ZONE', timeZone, 'UTC', {
    meaning: 'IANA time zone of relative moments such as `today` and `month-start`, for example `Europe/Berlin`',
  }),
  maxPerDatabase: setting('load.perDatabase', 'SLUICE_MAX_PER_DATABASE', integer(1, 1000), 16, {
    meaning: 'queries in flight per database',
  }),
  maxPerUser: setting('load.perUser', 'SLUICE_MAX_PER_USER', integer(1, 1000), 16, { meaning: 'queries in flight per user' }),
  maxInAll: setting('load.inAll', 'SLUICE_MAX_IN_ALL', integer(1, 10_000), 64, { meaning: 'queries in flight in total' }),
  queueLength: setting('load.queue', 'SLUICE_QUEUE', integer(0, 100_000), 256, { meaning: 'calls that may wait for a slot' }),
  queueSeconds: setting('load.queueSeconds', 'SLUICE_QUEUE_SECONDS', integer(0, 60), 5, {
    meaning: 'seconds that a call may wait for a slot',
  }),
  ratePerKey: setting('load.ratePerKey', 'SLUICE_RATE_PER_KEY', integer(0, 1_000_000), 0, {
    meaning: 'calls per second and key, then 429; 0: no limit',
    changeable: true,
  }),
  ratePerLink: setting('load.ratePerLink', 'SLUICE_RATE_PER_LINK', integer(0, 1_000_000), 100, {
    meaning: 'calls per second and data link, then 429; 0: no limit',
    changeable: true,
  }),
  keyRowsPerDay: setting('load.keyRowsPerDay', 'SLUICE_KEY_ROWS_PER_DAY', integer(0, 1_000_000_000_000), 0, {
    meaning: 'rows per day (UTC) and key, then 429; with a limit, keys cannot create embeds; 0: no limit',
    changeable: true,
  }),
  keyConcurrent: setting('load.keyConcurrent', 'SLUICE_KEY_CONCURRENT', integer(0, 1000), 0, {
    meaning: 'queries in flight per key, then 429; 0: no limit',
    changeable: true,
  }),
  engineMemoryMiB: setting('engines.memoryMiB', 'SLUICE_ENGINE_MEMORY', integer(256, 1 << 20).nullable(), null, {
    meaning: 'memory limit of a DuckDB or SQLite process in MiB; default: a quarter of the memory, at most 2048',
  }),
  bodyLimit: setting('limits.bodyBytes', 'SLUICE_BODY_LIMIT', integer(1024, 64 << 20), 256 << 10, {
    meaning: 'size of a request body in bytes',
  }),
  stallSeconds: setting('responses.stallSeconds', 'SLUICE_STALL_SECONDS', integer(1, 3600), 30, {
    meaning: 'seconds after which a response that the client does not read is closed',
  }),
  unsentMaxBytesUser: setting('responses.maxUnsentBytesPerUser', 'SLUICE_UNSENT_MAX_BYTES_USER', unsentBytes, 64 << 20, {
    meaning: 'bytes of unread responses per user and process, then 429',
  }),
  unsentMaxBytesAll: setting('responses.maxUnsentBytesInAll', 'SLUICE_UNSENT_MAX_BYTES_ALL', unsentBytes, 256 << 20, {
    meaning: 'bytes of all unread responses per process, then 503',
  }),
  snapshotMaxBytes: setting('snapshots.maxBytes', 'SLUICE_SNAPSHOT_MAX_BYTES', integer(1 << 20, 2 ** 40), 2 ** 30, {
    meaning: 'bytes of one paged result',
  }),
  snapshotMaxRows: setting('snapshots.maxRows', 'SLUICE_SNAPSHOT_MAX_ROWS', integer(1, 2 ** 32), 5_000_000, {
    meaning: 'rows of one paged result',
  }),
  snapshotMaxBytesAll: setting('snapshots.maxBytesInAll', 'SLUICE_SNAPSHOT_MAX_BYTES_ALL', fileBytes, 10 * 2 ** 30, {
    meaning: 'bytes of all paged results',
  }),
  snapshotMaxBytesUser: setting('snapshots.maxBytesPerUser', 'SLUICE_SNAPSHOT_MAX_BYTES_USER', fileBytes, 4 * 2 ** 30, {
    meaning: 'bytes of all paged results of one user',
  }),
  guardFormulas: setting('exports.guardFormulas', 'SLUICE_CSV_GUARD', toggle, true, {
    meaning: 'prefixes CSV cells that a spreadsheet would run as a formula with an apostrophe',
    changeable: true,
  }),
  exportMaxBytes: setting('exports.maxBytes', 'SLUICE_EXPORT_MAX_BYTES', integer(1 << 20, 2 ** 40), 2 ** 30, {
    meaning: 'bytes of one export file that waits for its download or its reader',
  }),
  exportMaxBytesAll: setting('exports.maxBytesInAll', 'SLUICE_EXPORT_MAX_BYTES_ALL', fileBytes, 10 * 2 ** 30, {
    meaning: 'bytes of all such files',
  }),
  exportMaxBytesUser: setting('exports.maxBytesPerUser', 'SLUICE_EXPORT_MAX_BYTES_USER', fileBytes, 4 * 2 ** 30, {
    meaning: 'bytes of all such files of one user',
  }),
  auditRetentionDays: setting('audit.retentionDays', 'SLUICE_AUDIT_RETENTION_DAYS', integer(0, 36_500), 0, {
    meaning: 'days that audit entries are kept; 0: forever',
    changeable: true,
  }),
  auditArchive: setting('audit.archive', 'SLUICE_AUDIT_ARCHIVE', optionalText, null, {
    meaning: 'folder to which entries are written before they are deleted, one file per day; none: entries are only deleted',
  }),
  frameAncestors: setting('embeds.frameAncestors', 'SLUICE_FRAME_ANCESTORS', headerWords, '*', {
    meaning: 'pages that may frame embeds (CSP frame-ancestors)',
  }),
  embedTimeoutSeconds: setting('embeds.timeoutSeconds', 'SLUICE_EMBED_TIMEOUT', integer(1, 300), 15, {
    meaning: 'timeout of the query of an embedded chart in seconds',
    changeable: true,
  }),
  embedCacheSeconds: setting('embeds.cacheSeconds', 'SLUICE_EMBED_CACHE', integer(1, 3600), 10, {
    meaning: 'seconds that the rows of an embedded chart are cached; token and rights are checked at every view',
    changeable: true,
  }),
  allowedOrigins: setting('security.allowedOrigins', 'SLUICE_ALLOWED_ORIGINS', origins, [], {
    meaning: 'additional Origins for the UI, `/mcp` and CORS',
  }),
  oauth: setting('oauth.enabled', 'SLUICE_OAUTH', toggle.nullable(), null, {
    meaning:
      '`off`: AI applications cannot sign people in, `/mcp/oauth` returns 404; default: `on` where the base URL is https or loopback',
  }),
  oauthClientHosts: setting('oauth.clientHosts', 'SLUICE_OAUTH_CLIENT_HOSTS', hosts, [], {
    meaning:
      'hosts (`host` or `host:port`, loopback too) whose AI applications may sign people in: of their metadata documents and redirects; empty: all. Registered applications are not restricted',
  }),
  oauthManaged: setting('oauth.managed', 'SLUICE_OAUTH_MANAGED', toggle, false, {
    meaning:
      '`on`: registered applications may exchange identity assertions of the company sign-in for access, without asking the person',
  }),
  oauthPrivateHosts: setting('oauth.privateHosts', 'SLUICE_OAUTH_PRIVATE_HOSTS', hosts, [], {
    meaning:
      'hosts (`host` or `host:port`) of documents and keys that may have private addresses and use http; others are read over https from public addresses only',
  }),
  allowedHosts: setting('security.allowedHosts', 'SLUICE_ALLOWED_HOSTS', hosts, [], { meaning: 'additional Host names' }),
  tlsCert: setting('tls.cert', 'SLUICE_TLS_CERT', optionalText, null, { meaning: 'certificate file; turns https on' }),
  tlsKey: setting('tls.key', 'SLUICE_TLS_KEY', optionalText, null, { meaning: 'key file of the certificate' }),
  trustedProxies: setting('security.trustedProxies', 'SLUICE_TRUSTED_PROXIES', proxies, [], {
    meaning:
      'proxies whose forwarded addresses and scheme are trusted: addresses, ranges (CIDR), `loopback`, `linklocal`, `uniquelocal`',
  }),
  ...oidcSettings,
  metricsToken: setting('metrics.token', 'SLUICE_METRICS_TOKEN', optionalText, null, {
    meaning: 'bearer token for `/metrics` from addresses other than loopback',
    secret: true,
  }),
  tracesEndpoint: setting('tracing.endpoint', 'OTEL_EXPORTER_OTLP_ENDPOINT', url(['http:', 'https:']).nullable(), null, {
    meaning: 'receiver of OpenTelemetry traces (OTLP over HTTP, at `/v1/traces`); the other standard variables apply too',
  }),
  backupPassphrase: setting('backup.passphrase', 'SLUICE_BACKUP_PASSPHRASE', passphrase.nullable(), null, {
    meaning: 'encrypts the output of `sluice backup`, which then includes the secret of the installation',
    secret: true,
  }),
  drainSeconds: setting('server.drainSeconds', 'SLUICE_DRAIN_SECONDS', integer(0, 600), 10, {
    meaning: 'seconds that running calls may continue after a stop was requested',
  }),
  workers: setting('workers', 'SLUICE_WORKERS', workers, 1, {
    meaning: 'processes on one port; `auto`: one for each core, at most four',
  }),
  logLevel: setting('log.level', 'SLUICE_LOG_LEVEL', logLevel, 'info', { meaning: 'level of the log (JSON lines on stderr)' }),
} as const;

type Settings = typeof settings;
export type SettingName = keyof Settings;
export type Config = { readonly [K in SettingName]: Settings[K] extends Setting<infer T> ? T : never };

const CONFIG_FILE_VARIABLE = 'SLUICE_CONFIG';
/** Read by `sluice catalog` and by the programs of the docs, which share a shell with the service. */
const CLIENT_VARIABLES = ['SLUICE_URL', 'SLUICE_API_KEY'];

export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const fromFile = readFile(environment[CONFIG_FILE_VARIABLE]);
  const known = new Set<string>([CONFIG_FILE_VARIABLE, ...CLIENT_VARIABLES, ...Object.values(settings).map((each) => each.env)]);
  for (const name of Object.keys(environment)) {
    if (name.startsWith('SLUICE_') && !known.has(name)) throw new ConfigError(`unknown setting ${name} in the environment`);
  }
  const values = Object.entries(settings).map(([name, each]) => [name, readValue(each, fromFile, environment[each.env])]);
  return checkConfig(Object.fromEntries(values) as Config);
}

/** Parses a value for a setting that is changed at runtime. */
export function parseSetting(name: SettingName, value: unknown): { ok: true; value: unknown } | { ok: false; message: string } {
  const parsed = settings[name].schema.safeParse(value);
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false, message: firstIssueOf(parsed.error) };
}

function readValue(each: Setting<unknown>, fromFile: ReadonlyMap<string, unknown>, fromEnvironment: string | undefined): unknown {
  // empty variables count as absent, because compose files pass unset ones as empty
  if (fromEnvironment !== undefined && fromEnvironment !== '') return parseValue(each, fromEnvironment, each.env);
  const inFile = fromFile.get(each.key) ?? null;
  if (inFile !== null) return parseValue(each, inFile, each.key);
  return each.fallback;
}

function parseValue(each: Setting<unknown>, value: unknown, where: string): unknown {
  const result = each.schema.safeParse(value);
  if (result.success) return result.data;
  const shown = each.secret === true ? '' : ` ${JSON.stringify(value)}`;
  throw new ConfigError(`bad value${shown} for ${where}: ${firstIssueOf(result.error)}`);
}

/** Whether AI applications may sign people in: by default only where nobody can read tokens in transit. */
export function isOAuthOn({ mcp, oauth, baseUrl, tlsCert, host }: Config): boolean {
  if (!mcp || oauth === false) return false;
  const { protocol, hostname } = new URL(
    baseUrl ?? `${tlsCert === null ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}`,
  );
  // the wildcards are reached as localhost
  return oauth === true || protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]', '0.0.0.0', '[::]'].includes(hostname);
}

function checkConfig(config: Config): Config {
  if ((config.tlsCert === null) !== (config.tlsKey === null)) {
    throw new ConfigError(`bad value for ${settings.tlsCert.env}: it needs ${settings.tlsKey.env}, and the other way round`);
  }
  if (config.s3Redirect && config.objectStore === null) {
    throw new ConfigError(`bad value for ${settings.s3Redirect.env}: it needs ${settings.objectStore.env}`);
  }
  if (config.oauthManaged && config.oidcIssuer === null) {
    throw new ConfigError(`bad value for ${settings.oauthManaged.env}: it needs ${oidcSettings.oidcIssuer.env}`);
  }
  const problem = oidcProblem(config);
  if (problem !== null) throw new ConfigError(problem);
  // lowering the maximum alone lowers the default as well
  return { ...config, rowsDefault: Math.min(config.rowsDefault, config.rowsMax) };
}

function readFile(named: string | undefined): ReadonlyMap<string, unknown> {
  const isNamed = named !== undefined && named !== '';
  const file = isNamed ? named : 'sluice.yaml';
  if (!isNamed && !existsSync(file)) return new Map();
  let content: unknown;
  try {
    content = parseYaml(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigError(
      `cannot read the settings file ${file}: ${error instanceof Error ? error.message.split('\n')[0]?.replace(/:$/, '') : String(error)}`,
    );
  }
  const values = new Map<string, unknown>();
  flatten(content ?? {}, '', values, file);
  return values;
}

function flatten(node: unknown, path: string, into: Map<string, unknown>, file: string): void {
  const keys: readonly string[] = Object.values(settings).map((each) => each.key);
  if (keys.includes(path)) return void into.set(path, node);
  const isBranch = path === '' || keys.some((key) => key.startsWith(`${path}.`));
  if (!isBranch) throw new ConfigError(`unknown setting ${path} in ${file}`);
  if (node === null) return; // all lines of the section are commented out
  if (typeof node !== 'object' || Array.isArray(node))
    throw new ConfigError(`bad value for ${path || 'the settings'} in ${file}: expected named settings`);
  for (const [name, child] of Object.entries(node)) flatten(child, path === '' ? name : `${path}.${name}`, into, file);
}

const firstIssueOf = (error: z.ZodError): string => error.issues[0]?.message ?? 'not valid';
