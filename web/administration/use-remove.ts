import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { confirm } from '../components/confirm.tsx';
import { toast } from '../components/toast.ts';

export interface Removal {
  readonly name: string; // 'Demo'
  readonly message: string; // what will happen
  readonly action?: string; // left out: 'Delete'
  readonly done?: string; // left out: '“Demo” is deleted.'
  readonly work: () => Promise<unknown>;
}

export interface Remove {
  readonly remove: (removal: Removal) => Promise<void>;
  /** Why the last one was refused, with its title. */
  readonly refusal: { readonly title: string; readonly error: unknown } | null;
}

/** Asks, deletes, and reads the list anew. A refusal stays on the page: it says what to do first. */
export function useRemove(list: string): Remove {
  const queryClient = useQueryClient();
  const [refusal, setRefusal] = useState<Remove['refusal']>(null);
  const remove = async ({ name, message, action = 'Delete', done = `“${name}” is deleted.`, work }: Removal) => {
    setRefusal(null);
    if (!(await confirm({ title: `${action} “${name}”?`, message, action }))) return;
    try {
      await work();
      toast(done);
    } catch (error) {
      setRefusal({ title: `“${name}” stays as it is`, error });
    }
    await queryClient.invalidateQueries({ queryKey: [list] });
  };
  return { remove, refusal };
}
