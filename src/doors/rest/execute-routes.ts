import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Channel } from '../../audit/audit-entry.ts';
import type { DeliverPage, Page, PageForm } from '../../delivery/use-cases/page.ts';
import type { Result } from '../../errors.ts';
import { callOf, isForged } from '../http/call-of.ts';
import { sendFailure } from '../http/failure-response.ts';
import type { Origins } from '../http/origins.ts';
import { readPageForm, readShortForm } from './page-form.ts';
import { bodyOf, chartResponse, type PageResponse, pageResponse, shortResponse } from './page-response.ts';
import { chartPage, pagingHeaders, resultPage, sentQuery, shortBody, shortPage } from './wire.ts';

/** docs/spec.md 4.1, 4.2 and the short form: one use-case, three formats. */
export function registerExecuteRoutes(
  app: FastifyInstance,
  { deliverPage, origins }: { deliverPage: DeliverPage; origins: Origins },
): void {
  const handlerFor =
    (channel: Channel, form: (request: FastifyRequest) => Result<PageForm>, render: (page: Page) => PageResponse) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const call = callOf(request, reply, channel, { cookie: true });
      if (isForged(request, call, origins)) return sendFailure(request, reply, { kind: 'OriginNotAllowed' });
      const page = await deliverPage(call, () => form(request));
      if (!page.ok) return sendFailure(request, reply, page.failure);
      const { cache } = page.value;
      if (cache !== null) reply.header('X-Cache', cache.hit ? 'hit' : 'miss');
      if (cache?.hit === true) reply.header('Age', String(cache.ageSeconds));
      reply.header('Cache-Control', 'no-store').header('Content-Type', 'application/json; charset=utf-8');
      return reply.send(bodyOf(render(page.value)));
    };

  app.post(
    '/api/v1/JsonBuilder/ExecuteQuery',
    {
      schema: {
        tags: ['Execution'],
        summary: 'Run a query and return a page of rows as JSON',
        headers: pagingHeaders,
        body: sentQuery,
        response: { 200: resultPage },
      },
    },
    handlerFor('rest', readPageForm, pageResponse),
  );
  app.post(
    '/api/v1/ChartBuilder/ExecuteQuery',
    {
      schema: {
        tags: ['Execution'],
        summary: 'Run a query and return a page of rows, with each column classified as categorical or numeric',
        headers: pagingHeaders,
        body: sentQuery,
        response: { 200: chartPage },
      },
    },
    handlerFor('chart', readPageForm, chartResponse),
  );
  app.post(
    '/api/query/execute/:queryName',
    {
      schema: {
        tags: ['Execution'],
        summary: 'Like JsonBuilder/ExecuteQuery in camelCase, with paging in the body',
        params: z.object({ queryName: z.string().describe('Technical name of an Active query') }),
        headers: pagingHeaders,
        body: shortBody,
        response: { 200: shortPage },
      },
    },
    handlerFor('rest', (request) => readShortForm(request, queryNameOf(request)), shortResponse),
  );
}

function queryNameOf(request: FastifyRequest): string {
  const { params } = request;
  return typeof params === 'object' && params !== null && 'queryName' in params ? String(params.queryName) : '';
}
