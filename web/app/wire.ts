import type { ResponseOf, Body, Item } from './api.ts';

/** Names for the resources of the management interface. */
export type Session = ResponseOf<'POST /api/v1/session'>;
export type Permission = Session['permissions'][number];
export type Query = ResponseOf<'GET /api/v1/queries/{id}'>;
export type QueryStatus = Query['status'];
export type QueryParameter = Query['parameters'][number];
export type QueryBody = Body<'POST /api/v1/queries'>;
export type QueryVersion = Item<'GET /api/v1/queries/{id}/versions'>;
export type ApiKey = Item<'GET /api/v1/account/api-keys'>;
/** With the key itself, which is returned only once. */
export type NewKey = ResponseOf<'POST /api/v1/account/api-keys'>;
export type Embed = Item<'GET /api/v1/embeds'>;
export type AuditEntry = Item<'GET /api/v1/audit'>;
export type Execution = Item<'GET /api/v1/executions'>;
export type Database = Item<'GET /api/v1/databases'>;
export type User = Item<'GET /api/v1/users'>;
export type Role = Item<'GET /api/v1/roles'>;
export type Gateway = ResponseOf<'GET /api/v1/mcp/tools'>;
export type Tool = Gateway['tools'][number];
/** Why rows of the result are missing: the header `X-Result-Incomplete`. */
interface Completeness {
  readonly incomplete?: string | null;
}
export type ResultPage = ResponseOf<'POST /api/v1/JsonBuilder/ExecuteQuery'> & Completeness;
export type ChartPage = ResponseOf<'POST /api/v1/ChartBuilder/ExecuteQuery'> & Completeness;
export type SentParameter = Extract<Body<'POST /api/v1/JsonBuilder/ExecuteQuery'>['Parameters'], readonly unknown[]>[number];
export type Row = ResultPage['Data'][number];
