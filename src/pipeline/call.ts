import type { Credential } from '../access/principal.ts';
import type { Channel } from '../audit/audit-entry.ts';

/** A request as every door passes it to the pipeline. */
export interface Call {
  readonly requestId: string;
  readonly channel: Channel;
  readonly credential: Credential;
  /** The action in the audit trail, if the door has a more specific name than the use-case: that of a tool. */
  readonly action?: string;
  readonly address: string;
  readonly client: string | null;
  readonly startedAt: number;
  /** Aborts when the caller disconnects before the response is complete. */
  readonly signal: AbortSignal;
  /** The user and the query that this call must be for: those of an earlier response that it continues. */
  readonly asked?: { readonly userId: string; readonly queryId: string };
  /** The name by which the caller can cancel the call from another connection: the id of its message. */
  readonly cancelName?: string;
  /** A page that takes longer is answered with a code by which it can be waited for. Left out: the caller waits as long as it takes. */
  readonly waitMs?: number;
  /** Called with the number of rows read so far, while a query runs. */
  readonly onRows?: (rows: number) => void;
  /** Runs `work` once: when the response has been sent, or the caller has disconnected. */
  readonly onEnd: (work: () => void) => void;
}
