import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { version } from '../core/version.ts';
import type { Tracing } from '../pipeline/tracing.ts';

/**
 * Exports spans by OTLP over HTTP. The SDK reads the other standard variables itself (OTEL_SERVICE_NAME,
 * OTEL_EXPORTER_OTLP_HEADERS, …).
 */
export async function startTracing(endpoint: string): Promise<Tracing> {
  const [{ BatchSpanProcessor, ParentBasedSampler, AlwaysOnSampler, TracerProvider }, { OTLPTraceExporter }, resources] =
    await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
  const named = resources.resourceFromAttributes({ 'service.name': 'sluice', 'service.version': version });
  const provider = new TracerProvider({
    resource: named.merge(resources.detectResources({ detectors: [resources.envDetector] })),
    sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${endpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces` }) }),
    ],
  });
  const tracer = provider.getTracer('sluice', version);
  const open = new Map<
    string,
    { readonly span: Span; readonly method: string; readonly at: number; readonly hasParent: boolean }
  >();
  const begin = (id: string, method: string, at: number, traceparent: string | undefined) => {
    const span = tracer.startSpan(method, { kind: SpanKind.SERVER, startTime: at }, parentOf(traceparent));
    open.set(id, { span, method, at, hasParent: traceparent !== undefined });
  };
  return {
    begin: ({ id, method, traceparent }) => begin(id, method, Date.now(), traceparent),
    join({ id, traceparent }) {
      const request = open.get(id);
      // a span that does not end is not sent
      if (request !== undefined && !request.hasParent) begin(id, request.method, request.at, traceparent);
    },
    endRequest({ id, method, route, status }) {
      const span = open.get(id)?.span;
      if (span === undefined) return;
      open.delete(id);
      span.updateName(`${method} ${route}`);
      span.setAttributes({
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        'sluice.request_id': id,
      });
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
    recordEntry({ at, requestId, action, query, queryVersion, channel, outcome, rows, bytes, durationMs, cached }) {
      const parent = open.get(requestId)?.span;
      const context = parent === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent);
      const span = tracer.startSpan(action, { kind: SpanKind.INTERNAL, startTime: at }, context);
      // parameters and user names are in the audit trail only
      span.setAttributes({
        'sluice.channel': channel,
        'sluice.outcome': outcome,
        'sluice.request_id': requestId,
        ...(query === null ? {} : { 'sluice.query': query }),
        ...(queryVersion === null ? {} : { 'sluice.query_version': queryVersion }),
        ...(rows === null ? {} : { 'sluice.rows': rows }),
        ...(bytes === null ? {} : { 'sluice.bytes': bytes }),
        ...(cached ? { 'sluice.cached': true } : {}),
      });
      if (outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(at + durationMs);
    },
    close: () => provider.shutdown(),
  };
}

/** W3C trace context: `00-<trace>-<span>-<flags>`. */
function parentOf(traceparent: string | undefined): Context {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
