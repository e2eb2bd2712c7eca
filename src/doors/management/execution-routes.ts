import { z } from 'zod';
import type { RunningQueries } from '../../administration/executions.ts';
import { channel, nameSchemas, userKind } from '../http/operation.ts';
import { listQuery, listRequest, listResponse, time } from './list-query.ts';
import { type ManagementRoute, routesOf } from './management-route.ts';

const executionResponse = z.object({
  id: z.string(),
  query: z.string().describe('Technical name of the query; for unsaved SQL, `(preview on <database>)`.'),
  user: z.string(),
  kind: userKind.describe('Of the user.'),
  viewer: z.string().nullable().describe('The viewer on whose behalf an application called.'),
  application: z.string().nullable().describe('The AI application that the user signed in from.'),
  channel,
  startedAt: time,
  rows: z.number().int().describe('Rows received from the database so far.'),
  state: z.enum(['waiting', 'running', 'draining', 'cancelling']),
});

nameSchemas({ Execution: executionResponse });

const route = routesOf({ tag: 'Executions', keys: 'whole' });

export function executionRoutes(running: RunningQueries): readonly ManagementRoute[] {
  return [
    route('GET', '/executions', 'Running queries: mine, for an Administrator everyone’s', {
      id: 'listExecutions',
      query: listQuery,
      response: listResponse(executionResponse),
      handle: ({ principal, query }) => running.list(principal, listRequest(query)),
    }),
    route('DELETE', '/executions/:id', 'Cancel a running query', {
      id: 'cancelExecution',
      response: null,
      action: 'execution.cancel',
      handle: ({ principal, id, draft }) => running.cancel(principal, id, draft),
    }),
  ];
}
