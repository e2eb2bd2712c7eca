import type { Principal } from '../access/principal.ts';
import { type Result, succeeded } from '../core/errors.ts';
import type { Call } from './call.ts';
import type { CheckRate } from './limits/key-limits.ts';
import type { UnsentBytes } from './limits/unsent-bytes.ts';
import type { AuditDraft } from './steps/audit-call.ts';
import type { Authenticate } from './steps/authenticate.ts';

export interface AdmitParts {
  readonly authenticate: Authenticate;
  readonly checkRate: CheckRate;
  readonly unsent: UnsentBytes;
}

export interface AdmitRequest<Form> {
  readonly call: Call;
  /** Reads the form of the request; called only with a valid credential, so that others learn nothing from its errors. */
  readonly form: (principal: Principal) => Result<Form>;
  /** Changes are made even if the caller does not read its responses. */
  readonly isChange?: boolean;
}

/** The checks that every call passes first: its credential, its rate, the responses that its caller has not read, and its form. */
export async function admit<Form>(
  { authenticate, checkRate, unsent }: AdmitParts,
  { call, form: readForm, isChange = false }: AdmitRequest<Form>,
  draft: AuditDraft,
): Promise<Result<{ principal: Principal; form: Form }>> {
  const principal = await authenticate(call.credential, call.address);
  if (!principal.ok) return principal;
  draft.principal = principal.value;
  const rate = await checkRate(principal.value);
  if (!rate.ok) return rate;
  const sendable = isChange ? rate : unsent.check(principal.value);
  if (!sendable.ok) return sendable;
  const form = readForm(principal.value);
  return form.ok ? succeeded({ principal: principal.value, form: form.value }) : form;
}
