import type { z } from 'zod';
import type { Permission } from '../../access/permission.ts';
import type { Principal } from '../../access/principal.ts';
import type { Call } from '../../delivery/call.ts';
import type { AuditDraft } from '../../delivery/steps/audited.ts';
import type { Result } from '../../errors.ts';

/** A route of the management interface, as data: the server, the OpenAPI document and the tests read the same declaration. */
export interface ManagementRoute<Params = unknown, Query = unknown, Body = unknown, Response = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string; // below /api/v1, e.g. '/users/:id'
  readonly tag: string;
  readonly summary: string;
  readonly params?: z.ZodType<Params>;
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  readonly bodyMayLack?: true; // then it counts as {}
  readonly response: z.ZodType<Response> | null; // null: 204 without a body
  readonly created?: true; // 201 instead of 200
  /**
   * Its JSON may be long and is sent compressed to those who take that. Never where an answer has a secret, or what strangers wrote
   * beside what only some may know: how well the one compresses with the other would tell of it.
   */
  readonly compressed?: true;
  /** Without it the answer is 403. Left out: everyone who is signed in; the use-case then decides what they see. */
  readonly needs?: Permission;
  /** Who lacks `needs` and every one of these may not even see it: 404 instead. */
  readonly seenWith?: readonly Permission[];
  /** Which API keys may call it: none, those that are not narrowed to some queries, or all. */
  readonly keys: 'none' | 'whole' | 'all';
  /** Name of the action in the audit trail ('user.create'). Every change has one; reads usually have none. */
  readonly action?: string;
  readonly handle: (input: ManagementInput<Params, Query, Body>) => Promise<Result<Response | FileResponse>>;
}

/** An answer that is written as it comes: a file to save under `name`, or without one a body that is shown, such as JSON that is encoded already. */
export interface FileResponse {
  readonly file: { readonly contentType: string; readonly name?: string; readonly body: AsyncIterable<string> };
}

export interface ManagementInput<Params, Query, Body> {
  readonly principal: Principal;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly ifMatch: number | undefined; // the version in If-Match
  readonly call: Call;
  /** For the audit trail: set `query`, `queryVersion`, `parameters` (details of the change: from, to, names; never secrets). */
  readonly draft: AuditDraft;
}

/** Keeps the types of one route together while a list holds many. */
export const managementRoute = <Params, Query, Body, Response>(
  route: ManagementRoute<Params, Query, Body, Response>,
): ManagementRoute => route as unknown as ManagementRoute;
