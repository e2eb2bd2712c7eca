import { z } from 'zod';
import type { RunningQueries } from '../../administration/executions.ts';
import { channels } from '../../audit/audit-entry.ts';
import { idParams, listResponse, listQuery, listRequest, time } from './list-query.ts';
import { type ManagementRoute, managementRoute } from './management-route.ts';

const executionResponse = z.object({
  id: z.string(),
  query: z.string().describe('Technical name of the query; for unsaved SQL, `(preview on <database>)`.'),
  user: z.string(),
  channel: z.enum(channels),
  startedAt: time,
  rows: z.number().int().describe('Rows received from the database so far.'),
  state: z.enum(['waiting', 'running', 'draining', 'cancelling']),
});

export function executionRoutes(running: RunningQueries): readonly ManagementRoute[] {
  const tag = 'Executions';
  return [
    managementRoute({
      method: 'GET',
      path: '/executions',
      tag,
      summary: 'Running queries: mine, for an Administrator everyone’s',
      query: listQuery,
      response: listResponse(executionResponse),
      keys: 'whole',
      handle: ({ principal, query }) => running.list(principal, listRequest(query)),
    }),
    managementRoute({
      method: 'DELETE',
      path: '/executions/:id',
      tag,
      summary: 'Cancel a running query',
      params: idParams,
      response: null,
      keys: 'whole',
      action: 'execution.cancel',
      handle: ({ principal, params, draft }) => running.cancel(principal, params.id, draft),
    }),
  ];
}
