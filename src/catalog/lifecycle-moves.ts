import type { QueryStatus } from './query.ts';

export type Move = 'validated' | 'activated' | 'deactivated' | 'voided' | 'restored' | 'edited';

/** The status of a query and, if it has one, of its draft. */
export interface QueryState {
  readonly status: QueryStatus;
  readonly draft: { readonly status: 'Draft' | 'Validated' } | null;
}

/** The transitions that are possible now. Validate and activate apply to the draft if there is one. */
export function allowedMoves({ status, draft }: QueryState): readonly Move[] {
  const moves = movesFrom[status];
  if (draft === null) return moves;
  const ofDraft: readonly Move[] = draft.status === 'Validated' ? ['activated'] : ['validated'];
  return [...moves.filter((move) => move !== 'activated'), ...ofDraft];
}

const movesFrom: Readonly<Record<QueryStatus, readonly Move[]>> = {
  Draft: ['edited', 'validated', 'voided'],
  Validated: ['edited', 'activated', 'voided'],
  Active: ['edited', 'deactivated'],
  Inactive: ['edited', 'activated', 'voided'],
  Void: ['restored'],
};
