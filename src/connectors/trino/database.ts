import type { ProvenQueries } from '../query-text.ts';
import type { HttpClient } from './http-client.ts';

/** Shared by all executions on one server. */
export interface Database {
  readonly client: HttpClient;
  readonly proven: ProvenQueries;
  /** The headers of a statement with this time limit. */
  headers(timeoutMs: number): Readonly<Record<string, string>>;
}
