/** The settings on the Settings page, by name. A setting that is not listed has its key and the phrase of the documentation. */
export const settingNames: Readonly<Record<string, { readonly title: string; readonly sentence: string }>> = {
  host: { title: 'Host', sentence: 'The service listens on this address.' },
  port: { title: 'Port', sentence: 'The service listens on this port. 0 picks a free one and prints it.' },
  baseUrl: { title: 'Base URL', sentence: 'Links and snippets start with it. Default: host and port.' },
  dataFolder: { title: 'Data folder', sentence: 'The service writes all its files into this folder.' },
  fileFolders: { title: 'Database file folders', sentence: 'SQLite and DuckDB files of users may be in these folders.' },
  metadataUrl: {
    title: 'Metadata database',
    sentence: 'A PostgreSQL address, required for several replicas. Default: SQLite in the data folder.',
  },
  secrets: {
    title: 'Master secrets',
    sentence: 'At least 32 bytes each in base64, separated by commas, newest first. Default: a file in the data folder.',
  },
  objectStore: {
    title: 'Object store',
    sentence:
      'Replicas without a shared folder keep paged results and export files in this bucket, `s3://bucket/prefix`. Default: the data folder.',
  },
  s3Endpoint: { title: 'S3 server', sentence: 'The address of an S3-compatible server. Default: Amazon.' },
  s3Region: { title: 'S3 region', sentence: 'The bucket is in this region.' },
  s3ForcePathStyle: {
    title: 'S3 bucket in the path',
    sentence: 'The bucket is part of the path, not of the host name. Most servers other than Amazon need it.',
  },
  s3Redirect: {
    title: 'Download from the object store',
    sentence: 'Downloads of export files are redirected to an address of the object store that is valid for a minute.',
  },
  edition: { title: 'Edition', sentence: 'The `standard` edition has no chart embedding.' },
  mcp: { title: 'AI gateway', sentence: 'When it is off, `/mcp` returns 404.' },
  mcpAllow: { title: 'Networks of the AI gateway', sentence: 'Only these address ranges may reach `/mcp`. Empty means all.' },
  mcpPageBytes: {
    title: 'Bytes of a page for AI assistants',
    sentence:
      'A page has at most this many bytes of rows unless the assistant asks for a number of rows. A token has about three.',
  },
  mcpWaitSeconds: {
    title: 'Wait of the AI gateway',
    sentence: 'An assistant waits this many seconds for rows; then it gets a code with which it asks again.',
  },
  demo: { title: 'Demo', sentence: 'Creates the demo database and its catalog at the first start.' },
  adminPassword: { title: 'Administrator password', sentence: 'The password of `admin`, used at the first start only.' },
  namePrefix: { title: 'Name prefix', sentence: 'Technical names of queries start with it.' },
  rowsDefault: { title: 'Default Row Size', sentence: 'A call that does not specify a Row Size gets this many rows.' },
  rowsMax: { title: 'Largest Row Size', sentence: 'A call that asks for more rows per page gets this many.' },
  chartRows: {
    title: 'Rows per chart',
    sentence: 'At most this many rows are grouped for a chart; a larger result is refused.',
  },
  queryTimeoutSeconds: {
    title: 'Query timeout',
    sentence: 'A query is cancelled after this many seconds. A query may set its own timeout.',
  },
  timeZone: {
    title: 'Time zone',
    sentence: 'Relative moments such as `today` and `month-start` are calculated in this zone, for example `Europe/Berlin`.',
  },
  maxPerDatabase: { title: 'Queries per database', sentence: 'At most this many queries run at a time on one database.' },
  maxPerUser: { title: 'Queries per user', sentence: 'At most this many queries of one user run at a time.' },
  maxInAll: { title: 'Queries in total', sentence: 'At most this many queries run at a time.' },
  queueLength: { title: 'Queue length', sentence: 'At most this many calls wait for a free slot.' },
  queueSeconds: { title: 'Queue time', sentence: 'A call waits at most this many seconds for a free slot.' },
  ratePerKey: {
    title: 'Calls per second per key',
    sentence: 'Further calls with the same API key get 429. 0 means no limit.',
  },
  ratePerLink: {
    title: 'Calls per second per data link',
    sentence: 'Further calls of the same data link get 429. 0 means no limit.',
  },
  keyRowsPerDay: {
    title: 'Rows per day per key',
    sentence:
      'Further calls with the same API key get 429 until midnight UTC. Keys with a limit cannot create embeds or data links. 0 means no limit.',
  },
  keyConcurrent: {
    title: 'Concurrent queries per key',
    sentence: 'Further queries with the same API key get 429. 0 means no limit.',
  },
  engineMemoryMiB: {
    title: 'Engine memory',
    sentence: 'A DuckDB or SQLite process gets this many MiB. Default: a quarter of the memory, at most 2048.',
  },
  bodyLimit: { title: 'Request size', sentence: 'A request body has at most this many bytes.' },
  stallSeconds: {
    title: 'Unread responses: time',
    sentence: 'A response that the client does not read is closed after this many seconds.',
  },
  unsentMaxBytesUser: {
    title: 'Unread responses of a user',
    sentence: 'Above this many unread bytes per process, further calls of the user get 429.',
  },
  unsentMaxBytesAll: {
    title: 'Unread responses in total',
    sentence: 'Above this many unread bytes per process, further calls get 503.',
  },
  snapshotMaxBytes: { title: 'Size of a paged result', sentence: 'A paged result has at most this many bytes.' },
  snapshotMaxRows: { title: 'Rows of a paged result', sentence: 'A paged result has at most this many rows.' },
  snapshotMaxBytesAll: {
    title: 'Size of all paged results',
    sentence: 'All paged results together have at most this many bytes.',
  },
  snapshotMaxBytesUser: {
    title: 'Size of the paged results of a user',
    sentence: 'The paged results of one user have at most this many bytes.',
  },
  guardFormulas: {
    title: 'Guard against formulas',
    sentence: 'CSV exports put an apostrophe before cells that a spreadsheet would run as a formula.',
  },
  exportMaxBytes: {
    title: 'Size of an export file',
    sentence: 'An export file behind a download link has at most this many bytes.',
  },
  exportMaxBytesAll: { title: 'Size of all export files', sentence: 'All such files together have at most this many bytes.' },
  exportMaxBytesUser: {
    title: 'Size of the export files of a user',
    sentence: 'Such files of one user have at most this many bytes.',
  },
  auditRetentionDays: {
    title: 'Audit retention',
    sentence: 'Audit entries are deleted after this many days. 0 keeps them forever.',
  },
  auditArchive: {
    title: 'Audit archive',
    sentence: 'Entries are written to this folder before they are deleted, one file per day. Without it they are only deleted.',
  },
  frameAncestors: { title: 'Pages with embeds', sentence: 'Only these pages may frame embedded charts (CSP frame-ancestors).' },
  embedTimeoutSeconds: {
    title: 'Embed timeout',
    sentence: 'The query of an embedded chart is cancelled after this many seconds.',
  },
  embedCacheSeconds: {
    title: 'Embed cache',
    sentence: 'Views of an embedded chart share its rows for this many seconds. Token and rights are checked at every view.',
  },
  allowedOrigins: { title: 'Origins', sentence: 'Pages of these origins may also call the service and `/mcp` (CORS).' },
  oauth: {
    title: 'Sign-in from AI applications',
    sentence: 'Lets AI applications sign people in at `/mcp/oauth`. By default on where the base URL is https or loopback.',
  },
  oauthClientHosts: {
    title: 'Hosts of AI applications',
    sentence: 'Only applications of these hosts may sign people in, unless they are registered here. Empty means all.',
  },
  oauthManaged: {
    title: 'Access managed by the company',
    sentence: 'Registered applications may exchange identity assertions of the company sign-in for access.',
  },
  oauthPrivateHosts: {
    title: 'Private hosts of documents',
    sentence: 'Keys of applications are also read from these hosts, which may have private addresses.',
  },
  allowedHosts: { title: 'Host names', sentence: 'The service also accepts requests for these host names.' },
  tlsCert: { title: 'Certificate', sentence: 'A certificate file. It enables HTTPS.' },
  tlsKey: { title: 'Certificate key', sentence: 'The key file of the certificate.' },
  trustedProxies: {
    title: 'Trusted proxies',
    sentence:
      'Forwarded addresses and schemes of these proxies are trusted: addresses, ranges (CIDR), `loopback`, `linklocal`, `uniquelocal`.',
  },
  oidcIssuer: {
    title: 'Company sign-in: provider',
    sentence: 'The OpenID Connect provider, spelled as in its discovery document. Without it there are local accounts only.',
  },
  oidcClientId: { title: 'Company sign-in: client id', sentence: 'The client id at the provider.' },
  oidcClientSecret: {
    title: 'Company sign-in: client secret',
    sentence: 'The client secret at the provider. A public client has none.',
  },
  oidcScopes: {
    title: 'Company sign-in: scopes',
    sentence: 'The scopes to request. Some providers send groups only on request.',
  },
  oidcName: { title: 'Company sign-in: name', sentence: 'The button says “Sign in with” and this name.' },
  oidcUsernameClaim: {
    title: 'Company sign-in: user name',
    sentence: 'The claim with the user name of a new user. If it is missing, `email` is used.',
  },
  oidcRolesClaim: { title: 'Company sign-in: groups', sentence: 'The claim with the groups of a person.' },
  oidcRoleMap: { title: 'Company sign-in: roles', sentence: 'Roles by group: `group=Role`, separated by commas.' },
  oidcDatabaseMap: {
    title: 'Company sign-in: databases',
    sentence: 'Databases by group: `group=Database`, or `group=*` for all. Empty means that administrators set the scope.',
  },
  oidcDefaultRoles: {
    title: 'Company sign-in: default roles',
    sentence:
      'Everyone who signs in with the provider has these roles. If there are none, people without a mapped group are refused.',
  },
  oidcAttributes: {
    title: 'Company sign-in: attributes',
    sentence: 'Attributes of users by claim, `name=claim`, filled in at each sign-in. A claim may be a path.',
  },
  metricsToken: { title: 'Metrics token', sentence: 'Addresses other than loopback need this bearer token for `/metrics`.' },
  tracesEndpoint: {
    title: 'Traces',
    sentence:
      'OpenTelemetry traces are sent to this receiver (OTLP over HTTP, at `/v1/traces`). The other standard variables apply too.',
  },
  backupPassphrase: {
    title: 'Backup passphrase',
    sentence: 'Encrypts the output of `sluice backup`, which then includes the secret of the installation.',
  },
  drainSeconds: {
    title: 'Stop time',
    sentence: 'Running calls may continue for this many seconds after a stop was requested.',
  },
  workers: { title: 'Processes', sentence: 'This many processes share the port.' },
  logLevel: { title: 'Log level', sentence: 'The log has JSON lines of this level and above, on stderr.' },
};
