import type { Credential } from '../../access/credential.ts';
import type { ClusterExecutions } from '../cluster-executions.ts';
import { requestOf } from '../executions.ts';
import type { Authenticate } from '../steps/authenticate.ts';

export interface CancelCallParts {
  readonly authenticate: Authenticate;
  readonly executions: Pick<ClusterExecutions, 'cancelRequest'>;
}

/** Cancels a call of the same key by its `cancelName`, in whichever process it runs. */
export type CancelCall = (credential: Credential, address: string, name: string) => Promise<void>;

export const createCancelCall =
  ({ authenticate, executions }: CancelCallParts): CancelCall =>
  async (credential, address, name) => {
    const principal = await authenticate(credential, address);
    const request = principal.ok ? requestOf(principal.value, name) : null;
    if (request !== null) await executions.cancelRequest(request);
  };
