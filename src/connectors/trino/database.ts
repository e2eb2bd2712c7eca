import type { Slots } from '../slots.ts';
import type { HttpClient } from './http-client.ts';
import type { Proofs } from './prepare.ts';

/** What every execution on one Trino shares. */
export interface Database {
  readonly client: HttpClient;
  readonly slots: Slots;
  readonly proofs: Proofs;
  /** The headers of a statement that may take so long. */
  headers(timeoutMs: number): Readonly<Record<string, string>>;
}
