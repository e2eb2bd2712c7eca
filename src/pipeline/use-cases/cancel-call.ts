import type { Call } from '../call.ts';
import { type ClusterExecutions, requestOf } from '../executions.ts';
import { type AuditCall, readUnaudited } from '../steps/audit-call.ts';
import type { Authenticate } from '../steps/authenticate.ts';

export interface CancelCallParts {
  readonly authenticate: Authenticate;
  readonly auditCall: AuditCall;
  readonly executions: Pick<ClusterExecutions, 'cancelRequest'>;
}

/** Cancels a call of the same key by its `cancelName`, in whichever process it runs. */
export type CancelCall = (call: Call, name: string) => Promise<void>;

export const createCancelCall =
  ({ authenticate, auditCall, executions }: CancelCallParts): CancelCall =>
  async (call, name) => {
    const principal = await readUnaudited(auditCall, call, () => authenticate(call.credential, call.address));
    const request = principal.ok ? requestOf(principal.value, name) : null;
    if (request !== null) await executions.cancelRequest(request);
  };
