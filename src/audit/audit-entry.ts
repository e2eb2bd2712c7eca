export const channels = ['rest', 'chart', 'export', 'embed', 'mcp', 'ui', 'management'] as const;
export type Channel = (typeof channels)[number];

export const outcomes = ['ok', 'refused', 'failed', 'cancelled'] as const;
export type Outcome = (typeof outcomes)[number];

export interface AuditEntry {
  readonly at: number; // when the call began
  readonly requestId: string;
  readonly userId: string | null;
  readonly user: string | null; // name; for a failed sign-in, the name that was tried
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
  readonly query?: string;
  readonly channel?: Channel;
  readonly outcome?: Outcome;
  readonly requestId?: string;
  readonly search?: string;
}
