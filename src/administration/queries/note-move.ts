import type { Query } from '../../catalog/query.ts';
import type { AuditNote } from '../audit-note.ts';

/** What a move acts on: the entry itself, or its draft where one stands beside it. */
export type MoveOf = 'entry' | 'draft';

/**
 * `from` and `to` are the statuses of what moved, `to: null` in a refusal. A move of the draft names its version and says apart what
 * became of the entry.
 */
export function noteMove(note: AuditNote, of: MoveOf, before: Query, after: Query | null): void {
  const { draft } = before;
  const entry = { from: before.status, to: after?.status ?? null };
  note.query = before.queryName;
  if (of === 'entry' || draft === null) {
    note.queryVersion = before.current.version;
    note.parameters = entry;
    return;
  }
  note.queryVersion = draft.version;
  note.parameters = { from: draft.status, to: draftStatus(after), draft: draft.version, entry };
}

/** An activated draft is the entry from then on. */
const draftStatus = (after: Query | null) => (after === null ? null : (after.draft?.status ?? after.status));
