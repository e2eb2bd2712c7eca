import type { AuditDraft } from '../delivery/steps/audited.ts';

/** What a use-case adds to its audit entry, set before the first refusal that it helps to explain. Never secrets. */
export type AuditNote = Pick<AuditDraft, 'query' | 'queryVersion' | 'parameters'>;
