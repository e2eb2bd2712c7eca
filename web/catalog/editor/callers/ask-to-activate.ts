import { call } from '../../../app/api.ts';
import type { Query } from '../../../app/wire.ts';
import { confirm } from '../../../components/confirm.tsx';
import type { OpenMove } from '../moves.ts';
import { CALLER_DAYS } from './affected-texts.ts';

/** A confirmed activation. */
export interface Activation {
  readonly allowBreaking: boolean;
}

/** Asks before an activation, unless callers notice no change. Returns null if the user declines. */
export async function askToActivate(query: Query, { confirmation, effect }: OpenMove): Promise<Activation | null> {
  if (!(await wasActive(query))) {
    return confirmation === null || (await confirm(confirmation)) ? { allowBreaking: false } : null;
  }
  const { changes, problem } = await readChanges(query.id);
  const allowBreaking = changes?.breaking === true;
  if (changes !== null && changes.changes.length === 0 && changes.columnsCompared) return { allowBreaking };
  const { confirmActivation } = await import('./confirm-activation.tsx');
  return (await confirmActivation({ query, effect, changes, problem })) ? { allowBreaking } : null;
}

/** Whether there is a version to compare the next one with. */
async function wasActive({ id, status, draft }: Query): Promise<boolean> {
  if (draft !== null) return true;
  if (status !== 'Validated') return false;
  const query = { activated: 'true', limit: 1 } as const;
  const { items } = await call('GET /api/v1/queries/{id}/versions', { params: { id }, query });
  return items.length > 0;
}

const readChanges = async (id: string) => {
  try {
    const query = { from: 'active', to: 'draft', days: CALLER_DAYS } as const;
    return { changes: await call('GET /api/v1/queries/{id}/changes', { params: { id }, query }), problem: null };
  } catch (problem) {
    return { changes: null, problem };
  }
};
