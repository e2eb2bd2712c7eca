import type { McpTools, ResultPage } from './api-types.ts';

/** Names for the resources of the management interface. */
export type {
  ApiKey,
  AuditEntry,
  ChartPage,
  CreatedApiKey as NewKey, // with the key itself, which is returned only once
  Database,
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
  ResultPage,
  Role,
  Session,
  User,
} from './api-types.ts';
export type Tool = McpTools['tools'][number];
export type Row = ResultPage['Data'][number];
