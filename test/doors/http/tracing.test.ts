import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mcpOf } from '../../support/http/mcp.ts';
import { createKey } from '../../support/people/accounts.ts';
import { publish } from '../../support/queries/publish.ts';
import { admin, startTestService, type TestService } from '../../support/services/service.ts';

interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}
interface Sent {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[] }[];
}

const spans: SentSpan[] = [];
let collector: Server;
let service: TestService;
beforeAll(async () => {
  collector = createServer(async (request, response) => {
    const sent = (await json(request)) as Sent; // as OTLP names it
    spans.push(...sent.resourceSpans.flatMap((each) => each.scopeSpans.flatMap((scope) => scope.spans)));
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => collector.once('listening', resolve));
  const { port } = collector.address() as AddressInfo;
  service = await startTestService({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
});
afterAll(() => {
  collector.close();
  collector.closeAllConnections();
});

test('a call is a span in the trace of the caller, with its execution as a child and without parameters', async () => {
  const { queryName } = await publish(service.as(admin), {
    name: 'Traced',
    sql: 'select @Word as word',
    parameters: [{ name: '@Word', dataType: 'nvarchar', required: true }],
  });
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const { headers } = await service
    .as(admin)
    .run(queryName, [{ ParameterName: '@Word', Value: 'canary' }], { traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
  const { key } = await createKey(service.as(admin), { name: 'traced' });
  const modelTrace = 'a3ce929d0e0e47364bf92f3577b34da6';
  const sendMeta = (trace: string, headers: Record<string, string> = {}) => {
    const _meta = { traceparent: `00-${trace}-00f067aa0ba902b7-01` };
    return mcpOf(service).rpc('tools/call', { name: 'list_databases', arguments: { apiKey: key }, _meta }, headers);
  };
  await sendMeta(modelTrace);
  const unread = 'b3ce929d0e0e47364bf92f3577b34da6';
  await sendMeta(unread, { traceparent: `00-${traceId}-00f067aa0ba902b8-01` });
  await service.close(); // flushes the spans
  const ofModel = spans.filter((span) => span.traceId === modelTrace);
  const message = ofModel.find((span) => span.name === 'POST /mcp');
  expect(message).toMatchObject({ parentSpanId: '00f067aa0ba902b7' });
  expect(ofModel.find((span) => span.name === 'list_databases')).toMatchObject({ parentSpanId: message?.spanId });
  expect(spans.filter((span) => span.traceId === unread)).toEqual([]);
  expect(spans.find((span) => span.parentSpanId === '00f067aa0ba902b8')).toMatchObject({ traceId, name: 'POST /mcp' });
  const ours = spans.filter((span) => span.traceId === traceId);
  const request = ours.find((span) => span.name === 'POST /api/v1/JsonBuilder/ExecuteQuery');
  const execution = ours.find((span) => span.name === 'query.execute');
  expect(request).toMatchObject({ parentSpanId: '00f067aa0ba902b7' });
  expect(execution).toMatchObject({ parentSpanId: request?.spanId });
  const attributes = Object.fromEntries((execution?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]));
  expect(attributes).toMatchObject({
    'sluice.query': queryName,
    'sluice.outcome': 'ok',
    'sluice.rows': 1,
    'sluice.request_id': headers.get('x-request-id'),
  });
  expect(JSON.stringify(spans)).not.toContain('canary');
});
