import type { Principal } from '../access/principal.ts';
import { failed, type Result, succeeded } from '../errors.ts';
import type { Call } from './call.ts';

export type UnsentBytes = ReturnType<typeof createUnsentBytes>;

/** A stream waits for its reader and buffers about this much, however long it is. */
export const STREAM_BYTES = 1 << 20;
const MIN_BYTES = 64 << 10; // smaller responses fit into the buffers of the connection
const MCP_COPIES = 3; // the result of a tool contains its rows as text and as structure

/** Bounds the memory of responses that callers have not read yet, per user (or embed) and in total, in this process. */
export function createUnsentBytes({ perUser, inAll }: { perUser: number; inAll: number }) {
  const ofHolders = new Map<string, number>();
  let all = 0;
  const add = (holder: string, bytes: number): void => {
    all += bytes;
    const sum = (ofHolders.get(holder) ?? 0) + bytes;
    if (sum === 0) ofHolders.delete(holder);
    else ofHolders.set(holder, sum);
  };
  const fits = (holder: string, bytes: number): Result<null> => {
    if ((ofHolders.get(holder) ?? 0) + bytes > perUser) return failed({ kind: 'ResponsesUnread', retryAfterSeconds: 1 });
    return all + bytes > inAll ? failed({ kind: 'Overloaded', retryAfterSeconds: 1 }) : admitted;
  };
  return {
    /** Whether the caller may start another call. */
    check: (principal: Principal): Result<null> => (all === 0 ? admitted : fits(holderOf(principal), 0)),
    /** Claims memory until the response has been sent, or the caller has disconnected. */
    claim(call: Pick<Call, 'channel' | 'onEnd'>, principal: Principal, bytes: number): Result<null> {
      const held = call.channel === 'mcp' ? bytes * MCP_COPIES : bytes;
      if (held < MIN_BYTES) return admitted;
      const holder = holderOf(principal);
      const claimed = fits(holder, held);
      if (!claimed.ok) return claimed;
      add(holder, held);
      call.onEnd(() => add(holder, -held));
      return admitted;
    },
  };
}

const admitted = succeeded(null);

/** The viewers of an embedded chart are not its issuer. */
const holderOf = ({ userId, means }: Principal): string => (means.kind === 'embed' ? `embed ${means.embed.id}` : userId);
