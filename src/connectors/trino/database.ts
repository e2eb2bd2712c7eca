import type { ProvenQueries } from '../query-text.ts';
import type { HttpClient } from './http-client.ts';

/** What every execution on one Trino shares. */
export interface Database {
  readonly client: HttpClient;
  readonly proven: ProvenQueries;
  /** The headers of a statement that may take so long. */
  headers(timeoutMs: number): Readonly<Record<string, string>>;
}
