import type { Credential } from '../access/credential.ts';
import type { Channel } from '../audit/audit-entry.ts';

/** A request as every door hands it to the pipeline. */
export interface Call {
  readonly requestId: string;
  readonly channel: Channel;
  readonly credential: Credential;
  /** What the audit trail calls it, where the door's own word says more than the use-case's: the name of a tool. */
  readonly action?: string;
  readonly address: string;
  readonly client: string | null;
  readonly startedAt: number;
  /** Aborts when the caller leaves before the answer is complete. */
  readonly signal: AbortSignal;
  /** `work` is done once: when the response has been sent, or the caller has left. */
  readonly onEnd: (work: () => void) => void;
}
