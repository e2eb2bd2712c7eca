import type { Principal } from '../../access/principal.ts';
import type { Result } from '../../errors.ts';
import type { Call } from '../call.ts';
import type { DeliverParts } from '../deliver.ts';
import type { AuditDraft } from './audited.ts';

/** The checks of calls that do not start with a query name: credential, rate, then the form of the request; audited as a whole. */
export type Identified = <Form, T>(
  call: Call,
  action: string,
  form: () => Result<Form>,
  work: (principal: Principal, form: Form, draft: AuditDraft) => Promise<Result<T>>,
) => Promise<Result<T>>;

export function createIdentified({
  audited,
  authenticate,
  withinRate,
  unsent,
}: Omit<DeliverParts, 'store' | 'rowQuota' | 'present' | 'checkChoices'>): Identified {
  return (call, action, readForm, work) =>
    audited(call, action, async (draft) => {
      const principal = await authenticate(call.credential, call.address);
      if (!principal.ok) return principal;
      draft.principal = principal.value;
      const rated = withinRate(principal.value);
      const rate = rated instanceof Promise ? await rated : rated;
      if (!rate.ok) return rate;
      const sendable = unsent.check(principal.value);
      if (!sendable.ok) return sendable;
      const form = readForm();
      if (!form.ok) return form;
      const done = await work(principal.value, form.value, draft);
      const claimed = done.ok ? unsent.open(call, principal.value).claim(draft.responseBytes ?? 0) : done;
      return claimed.ok ? done : claimed;
    });
}
