import type { AuditEntry } from '../audit/audit-entry.ts';

/** What an operator's tracing is told. One request is one span, and each of its audit entries a span inside. */
export interface Tracing {
  began(request: { readonly id: string; readonly method: string; readonly traceparent: string | undefined }): void;
  /** `route` as it is declared: an address may hold a token. */
  answered(request: { readonly id: string; readonly method: string; readonly route: string; readonly status: number }): void;
  audited(entry: AuditEntry): void;
  close(): Promise<void>;
}
