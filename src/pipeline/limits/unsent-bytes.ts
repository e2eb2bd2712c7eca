import { type Principal, shareOf } from '../../access/principal.ts';
import { accountOf, isViewer } from '../../core/account-of.ts';
import { Tally } from '../../core/concurrency/tally.ts';
import { FailureError, failed, type Result, succeeded } from '../../core/errors.ts';
import type { Call } from '../call.ts';

export type UnsentBytes = ReturnType<typeof createUnsentBytes>;

/** A stream waits for its reader and buffers about this much, however long it is. */
export const STREAM_BYTES = 1 << 20;
const MIN_BYTES = 64 << 10; // smaller responses fit into the buffers of the connection
const MCP_COPIES = 3; // the result of a tool contains its rows as text and as structure

const REST_BYTES = 16 << 20;

export interface UnsentBytesOptions {
  readonly perUser: number;
  readonly inAll: number;
  /** Called when no response is unread any more, if they were large. */
  readonly onRest?: () => void;
}

/** Bounds the memory of responses that callers have not read yet, per user (or embed, or data link) and in total, in this process. */
export function createUnsentBytes({ perUser, inAll, onRest }: UnsentBytesOptions) {
  const ofHolders = new Tally();
  let all = 0;
  let sinceRest = 0;
  const add = (holders: readonly Holder[], bytes: number): void => {
    all += bytes;
    for (const { id } of holders) ofHolders.add(id, bytes);
    sinceRest += Math.max(0, bytes);
    if (all > 0 || sinceRest < REST_BYTES) return;
    sinceRest = 0;
    onRest?.();
  };
  const fits = (holders: readonly Holder[], bytes: number): Result<null> => {
    const isFull = holders.some(({ id, share }) => ofHolders.of(id) + bytes > perUser * share);
    if (isFull) return failed({ kind: 'ResponsesUnread', retryAfterSeconds: 1 });
    return all + bytes > inAll ? failed({ kind: 'Overloaded', retryAfterSeconds: 1 }) : admitted;
  };
  return {
    /** Whether the caller may start another call. */
    check: (principal: Principal): Result<null> => (all === 0 ? admitted : fits(holdersOf(principal), 0)),
    /** The memory of a response, until it has been sent or the caller has disconnected. */
    open(call: Pick<Call, 'channel' | 'onEnd'>, principal: Principal): ResponseBytes {
      const holders = holdersOf(principal);
      let held = 0;
      const hold = (bytes: number): void => {
        add(holders, bytes - held);
        held = bytes;
      };
      return {
        claim(bytes) {
          const wanted = call.channel === 'mcp' ? bytes * MCP_COPIES : bytes;
          if (wanted <= held || wanted < MIN_BYTES) return admitted;
          const claimed = fits(holders, wanted - held);
          if (held === 0 && claimed.ok) call.onEnd(() => hold(0));
          hold(claimed.ok ? wanted : 0); // what was refused is not sent, and makes room for other responses at once
          return claimed;
        },
      };
    },
  };
}

/** Throws if the caller may not hold this many bytes. For what is made where failures are not returned. */
export function claimOrThrow(response: ResponseBytes, bytes: number): void {
  const claimed = response.claim(bytes);
  if (!claimed.ok) throw new FailureError(claimed.failure);
}

export interface ResponseBytes {
  /** Claims this many bytes in all. Called before they are made, and again as the response grows. */
  claim(bytes: number): Result<null>;
}

const admitted = succeeded(null);

interface Holder {
  readonly id: string;
  readonly share: number; // of what a user may hold
}

const VIEWER_SHARE = 0.25;

/** The viewers of an embedded chart and the readers of a data link are not their issuer. Those of an application share what it may hold. */
function holdersOf(principal: Principal): readonly Holder[] {
  const { userId } = principal;
  const share = shareOf(principal);
  if (share !== null) return [{ id: share.id, share: 1 }];
  const account = { id: accountOf(userId), share: 1 };
  return isViewer(userId) ? [account, { id: userId, share: VIEWER_SHARE }] : [account];
}
