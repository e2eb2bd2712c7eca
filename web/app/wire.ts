import type { ChartPage as PageOfChart, McpTools, ResultPage as PageOfRows } from './api-types.ts';

/** Names for the resources of the management interface. */
export type {
  ApiKey,
  AuditEntry,
  CreatedApiKey as NewKey, // with the key itself, which is returned only once
  Database,
  DataLink,
  Embed,
  Execution,
  McpTools as Gateway,
  NewQuery as QueryBody,
  ParameterValue as SentParameter,
  Permission,
  Query,
  QueryParameter,
  QueryStatus,
  QueryVersion,
  Role,
  Session,
  User,
} from './api-types.ts';
export type Tool = McpTools['tools'][number];

/** The headers of a page. */
interface Completeness {
  readonly incomplete?: string | null; // why rows of the result are missing
  readonly totalRows?: number | null; // of the whole result; null: not known yet
}
export type ResultPage = PageOfRows & Completeness;
export type ChartPage = PageOfChart & Completeness;
export type Row = ResultPage['Data'][number];
