import type { Channel } from '../audit/audit-entry.ts';
import type { Call } from '../delivery/call.ts';
import { credentialOf } from './credential-of.ts';
import type { DoorReply, DoorRequest } from './door-request.ts';
import type { Origins } from './origins.ts';

/**
 * A request as the pipeline sees it. The UI's cookie counts only where a foreign page cannot have sent it: not on GET (`cookie: false`
 * there), and with an Origin that is ours.
 */
export function callOf(
  request: DoorRequest,
  reply: Pick<DoorReply, 'left' | 'raw' | 'onEnd'>,
  channel: Channel,
  options: { cookie: boolean },
): Call {
  const credential = credentialOf(request, options);
  return {
    requestId: request.id,
    channel: credential.kind === 'session' && channel !== 'management' ? 'ui' : channel,
    credential,
    address: request.ip ?? '', // the socket of a caller who has left has none
    client: request.headers['user-agent']?.slice(0, 300) ?? null,
    startedAt: Date.now(),
    signal: leaving(reply),
    onEnd: (work) => atEnd(reply, work),
  };
}

export const isForged = (request: DoorRequest, call: Call, origins: Origins): boolean =>
  call.credential.kind === 'session' && !origins.allows(request);

function leaving({ left, raw }: Pick<DoorReply, 'left' | 'raw'>): AbortSignal {
  if (left !== undefined) return left;
  const controller = new AbortController();
  if (raw?.destroyed === true) controller.abort(); // left while the body was read
  raw?.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

function atEnd({ raw, onEnd }: Pick<DoorReply, 'raw' | 'onEnd'>, work: () => void): void {
  if (onEnd !== undefined) onEnd(work);
  else if (raw === undefined || raw.destroyed || raw.closed) work();
  else raw.once('close', work);
}
