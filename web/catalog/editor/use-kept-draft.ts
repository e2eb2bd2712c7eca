import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import { confirm } from '../../components/confirm.tsx';
import type { SearchParams } from '../../components/use-search-params.ts';
import { type DraftOwner, forgetDraft, keepDraft, type KeptDraft } from './kept-draft.ts';

const DELAY_MS = 500;

/** Keeps unsaved changes while they are made, until they are saved, undone or left. Asks before leaving for another page. */
export function useKeptDraft(owner: DraftOwner, { version, draft }: Omit<KeptDraft, 'keptAt'>, isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return forgetDraft(owner);
    const timer = setTimeout(() => keepDraft(owner, { version, draft }), DELAY_MS);
    return () => clearTimeout(timer);
  }, [owner, version, draft, isDirty]);

  useBlocker({
    disabled: !isDirty,
    enableBeforeUnload: () => isDirty && !keepDraft(owner, { version, draft }), // asks only if a reload would lose them
    shouldBlockFn: async ({ next }) => {
      if (next.pathname === '/sign-in') {
        const { reason }: SearchParams = next.search;
        if (reason !== undefined) keepDraft(owner, { version, draft }); // the session has ended, so nothing can be saved now
        return false;
      }
      const leaves = await confirm({
        title: 'Leave without saving?',
        message: 'You have unsaved changes. They are lost if you leave.',
        action: 'Leave',
      });
      if (leaves) forgetDraft(owner);
      return !leaves;
    },
  });
}
