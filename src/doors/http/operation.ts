import { z } from 'zod';
import { permissions } from '../../access/permission.ts';
import { userKinds } from '../../access/user.ts';
import { channels, outcomes } from '../../audit/audit-entry.ts';
import * as charts from '../../catalog/chart-fields.ts';
import type { Failure } from '../../core/errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the OpenAPI document says about the route; null: the route is not part of it. */
    operation?: Operation | null;
  }
}

/** The description of a route. Routes parse their input themselves, after checking the credential. */
export interface Operation {
  readonly id: string; // the name of the method in generated clients
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly credentials: readonly Credential[]; // one of these; empty: none is needed
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly headers?: z.ZodType;
  readonly body?: z.ZodType;
  readonly bodyOptional?: true;
  readonly responses: Readonly<Record<number, z.ZodType | ResponseBody>> & { readonly default?: ResponseBody }; // a schema alone: JSON
  readonly failures: readonly Failure['kind'][];
  /** How failures are sent; left out: as a problem. */
  readonly failureContent?: Content;
  readonly example?: Example;
}

export interface ResponseBody {
  readonly description: string;
  readonly content?: Content; // left out: no body
  readonly headers?: readonly ResponseHeader[];
}

/** Media types with their schemas; null: any bytes. */
export type Content = Readonly<Record<string, z.ZodType | null>>;

/** A call that works on the demo catalog; test/doors/http/openapi.test.ts sends it and compares the response. */
export interface Example {
  readonly query?: Readonly<Record<string, string>>;
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly response?: unknown;
}

/** Names schemas in the OpenAPI document, which inlines all others. */
export function nameSchemas(schemas: Readonly<Record<string, z.ZodType>>): void {
  for (const [id, schema] of Object.entries(schemas)) z.globalRegistry.add(schema, { ...schema.meta(), id });
}

export const tags = {
  Execution: 'Run queries and page through their rows.',
  Export: 'Complete results as files.',
  Embeds: 'Links that show a chart to viewers without an account.',
  Data: 'The rows of a query under an address, for programs that can only open one.',
  Queries: 'Write queries, and move them through their lifecycle.',
  Databases: 'The databases that queries run on.',
  Account: 'The current user.',
  'API keys': 'The API keys of the current user.',
  Applications: 'AI applications that sign people in.',
  Users: 'Users and their API keys.',
  Roles: 'Roles and their permissions.',
  Audit: 'Who did what, and when.',
  Executions: 'The queries that run now.',
  Settings: 'The settings of the service.',
  Session: 'Sign in and out, for browsers.',
  MCP: 'The gateway for AI assistants.',
  Health: 'For monitoring, and this document.',
} as const;
export type Tag = keyof typeof tags;

export const credentials = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key (`slc_…`), for programs.' },
  basic: { type: 'http', scheme: 'basic', description: 'User name and password.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key, for clients that only send bearer tokens.' },
  session: { type: 'apiKey', in: 'cookie', name: 'sluice_session', description: 'The cookie that `POST /api/v1/session` sets.' },
  metricsToken: { type: 'http', scheme: 'bearer', description: 'The value of `SLUICE_METRICS_TOKEN`.' },
} as const;
export type Credential = keyof typeof credentials | 'none'; // none: also without

export const anyCredential = ['apiKey', 'bearer', 'basic', 'session'] as const;

export const responseHeaders = {
  Age: 'Seconds since the query ran, if the rows come from an identical earlier call.',
  'Content-Disposition': 'The name of the file.',
  ETag: 'The version of the resource, for `If-Match`.',
  'Retry-After': 'Seconds to wait before the next attempt.',
  'X-Result-Incomplete':
    'Why the last rows of the result will be missing, on pages before them; absent as long as it is not known.',
  'X-Result-Rows': 'The number of rows of the whole result, on pages before the last; absent as long as it is not known.',
  'X-Cache': '`hit` if the rows come from an identical earlier call, otherwise `miss`; only for queries with shared results.',
  'X-Query-Version': 'The version of the query that ran; `QueryName@<version>` runs the same one again.',
  Deprecation: 'When a later version replaced the version that the call names (RFC 9745).',
  Sunset: 'When the version that the call names is retired (RFC 8594), if that is set.',
  Link: 'The current version (`rel="successor-version"`), if the call names an earlier one.',
  'X-Request-Id': 'The id of the request in the audit trail and in the log.',
} as const;
export type ResponseHeader = keyof typeof responseHeaders;
/** Of every response with rows of a query. */
export const versionHeaders: readonly ResponseHeader[] = ['X-Query-Version', 'Deprecation', 'Sunset', 'Link'];

type Failures = readonly Failure['kind'][];

/** Failures of every operation that needs a credential. */
export const credentialFailures: Failures = [
  'CredentialMissing',
  'CredentialInvalid',
  'CredentialExpired',
  'CredentialRevoked',
  'TooManyAttempts',
  'RateExceeded',
  'Overloaded',
  'StoreUnavailable',
];
/** Failures of every operation that reads optional fields. */
export const formFailures: Failures = ['FieldUnknown', 'FieldInvalid'];
/** Failures of every operation that reads required fields. */
export const fieldFailures: Failures = [...formFailures, 'FieldMissing'];
/** Failures of every operation that reads a body. */
export const bodyFailures: Failures = [...fieldFailures, 'MediaTypeUnsupported'];
/** Failures of every operation that runs a query. */
export const runFailures: Failures = [
  'QueryNotAccessible',
  'VersionUnknown',
  'VersionRetired',
  'CallerAttributeMissing',
  'CallerAttributeAmbiguous',
  'ParameterBound',
  'ParameterUnknown',
  'ParameterInvalid',
  'StateConflict', // the query of the choices of a parameter was changed
  'UserBusy',
  'KeyBusy',
  'RowsExceeded',
  'ResponsesUnread',
  'QueryFailed',
  'QueryTimedOut',
  'QueryCancelled',
  'CellTooLarge',
  'SnapshotIncomplete',
  'DatabaseUnavailable',
  'ShuttingDown',
];

/** Enumerations of several requests and responses. */
export const channel = z.enum(channels);
export const outcome = z.enum(outcomes);
export const userKind = z.enum(userKinds);
export const permission = z.enum(permissions);

nameSchemas({
  Channel: channel,
  ColumnClass: charts.columnClass,
  Outcome: outcome,
  Permission: permission,
  UserKind: userKind,
  ChartType: charts.chartType,
  LegendPosition: charts.legendPosition,
  BarOrientation: charts.barOrientation,
  ChartTheme: charts.chartTheme,
  Aggregate: charts.aggregate,
  SortBy: charts.sortBy,
  Stacked: charts.stacked,
  TimeUnit: charts.timeUnit,
  BucketUnit: charts.bucketUnit,
});
