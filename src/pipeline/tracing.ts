import type { AuditEntry } from '../audit/audit-entry.ts';

/** Receives events for tracing. A request is a span, and each of its audit entries is a child span. */
export interface Tracing {
  begin(request: { readonly id: string; readonly method: string; readonly traceparent: string | undefined }): void;
  /** The same for a parent that is in the body of the request. One in the headers wins: it is nearer. */
  join(request: { readonly id: string; readonly traceparent: string }): void;
  /** `route` as declared, because a URL may contain a token. */
  endRequest(request: { readonly id: string; readonly method: string; readonly route: string; readonly status: number }): void;
  recordEntry(entry: AuditEntry): void;
  close(): Promise<void>;
}
