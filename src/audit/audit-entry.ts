export const channels = ['rest', 'chart', 'export', 'embed', 'data', 'link', 'mcp', 'ui', 'management'] as const;
export type Channel = (typeof channels)[number];

export const outcomes = ['ok', 'refused', 'failed', 'cancelled'] as const;
export type Outcome = (typeof outcomes)[number];

/** The actions of the management interface, the REST interface and the pages. Calls of the MCP gateway have the name of the tool. */
export const actions = [
  'account.password',
  'application.allow',
  'application.assert',
  'application.cancel',
  'application.create',
  'application.delete',
  'application.end',
  'calls.refused',
  'catalog.apply',
  'catalog.plan',
  'data.read',
  'database.create',
  'database.delete',
  'database.test',
  'database.update',
  'embed.change',
  'embed.create',
  'embed.image',
  'embed.regenerate',
  'embed.render',
  'embed.revoke',
  'execution.cancel',
  'export.download',
  'key.create',
  'key.revoke',
  'key.update',
  'link.create',
  'link.regenerate',
  'link.revoke',
  'query.activate',
  'query.choices',
  'query.create',
  'query.deactivate',
  'query.discard-draft',
  'query.execute',
  'query.export',
  'query.favorite',
  'query.figure',
  'query.next-page',
  'query.preview',
  'query.restore',
  'query.restore-version',
  'query.retire-version',
  'query.unfavorite',
  'query.update',
  'query.validate',
  'query.void',
  'role.create',
  'role.delete',
  'role.update',
  'session.sign-in',
  'session.sign-out',
  'settings.update',
  'user.create',
  'user.delete',
  'user.signing-keys',
  'user.update',
  'viewer.block',
  'viewer.unblock',
] as const;
export type Action = (typeof actions)[number];

export interface AuditEntry {
  readonly at: number; // when the call began
  readonly requestId: string;
  readonly userId: string | null;
  readonly user: string | null; // name; for a failed sign-in, the name that was tried
  readonly kind: 'person' | 'application' | null; // of the user
  readonly viewer: string | null; // on whose behalf the application called
  readonly application: string | null; // that the user signed in from
  readonly apiKey: string | null; // name of the key
  readonly action: string; // 'query.execute', 'user.create'
  readonly query: string | null; // technical name
  readonly queryVersion: number | null;
  readonly parameters: Readonly<Record<string, unknown>> | null;
  readonly channel: Channel;
  readonly outcome: Outcome;
  readonly status: number;
  readonly error: string | null; // error code such as 'query_timed_out'; null on success
  readonly rows: number | null;
  readonly bytes: number | null;
  readonly durationMs: number;
  readonly address: string;
  readonly client: string | null; // User-Agent, or the MCP client's name and version
  readonly cached: boolean; // served from the result of an identical earlier call; the query was not run
}

export interface RecordedAuditEntry extends AuditEntry {
  readonly seq: number;
}

export interface AuditFilter {
  readonly from?: number;
  readonly to?: number;
  readonly user?: string;
  readonly action?: string;
  readonly query?: string;
  readonly channel?: Channel;
  readonly outcome?: Outcome;
  readonly requestId?: string;
  readonly search?: string;
}
