import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { confirm } from '../confirm.tsx';
import { toast } from '../toast.ts';

export interface Removal {
  readonly name: string; // 'Demo'
  readonly message: string; // what will happen
  readonly action?: string; // default: 'Delete'
  readonly done?: string; // default: 'Deleted “Demo”.'
  readonly work: () => Promise<unknown>;
}

export interface Remove {
  readonly remove: (removal: Removal) => Promise<void>;
  readonly refusal: Refusal; // of the last removal, for a ProblemAlert
}

interface Refusal {
  readonly title: string;
  readonly error: unknown; // null: it was not refused
}

const noRefusal: Refusal = { title: '', error: null };

/** Asks, deletes, and refreshes the list. A refusal stays on the page, because it says what to do first. */
export function useRemove(list: string): Remove {
  const queryClient = useQueryClient();
  const [refusal, setRefusal] = useState(noRefusal);
  const remove = async ({ name, message, action = 'Delete', done = `Deleted “${name}”.`, work }: Removal) => {
    setRefusal(noRefusal);
    if (!(await confirm({ title: `${action} “${name}”?`, message, action }))) return;
    try {
      await work();
      toast(done);
    } catch (error) {
      setRefusal({ title: `Could not ${action.toLowerCase()} “${name}”`, error });
    }
    await queryClient.invalidateQueries({ queryKey: [list] });
  };
  return { remove, refusal };
}
