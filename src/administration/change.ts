import type { AuditDraft } from '../pipeline/steps/audit-call.ts';
import type { MetadataStore } from '../store/metadata-store.ts';

/** What every use-case of the administration needs. */
export interface AdministrationParts {
  readonly store: MetadataStore;
  readonly now: () => number;
}

/** What a use-case adds to its audit entry, set before the first refusal that it helps to explain. Never secrets. */
export type AuditNote = Pick<AuditDraft, 'query' | 'queryVersion' | 'parameters'>;

/** The fields that differ, each with its old and its new value. */
export function differencesOf(from: Fields, to: Fields): Fields {
  const changed = Object.keys(from).filter((field) => JSON.stringify(from[field]) !== JSON.stringify(to[field]));
  return Object.fromEntries(changed.map((field) => [field, { from: from[field], to: to[field] }]));
}
type Fields = Readonly<Record<string, unknown>>;

/** The version in If-Match; undefined matches any. */
export type IfMatch = number | undefined;
