import type { QueryStatus } from './query.ts';

export type Move = 'validated' | 'activated' | 'deactivated' | 'voided' | 'restored' | 'edited';

/** Where a query stands: its own status, and that of a draft beside it. */
export interface QueryState {
  readonly status: QueryStatus;
  readonly draft: { readonly status: 'Draft' | 'Validated' } | null;
}

/** What may become of a query now. With a draft beside, validate and activate act on that. */
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
