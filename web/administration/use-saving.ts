import { useEffect, useState } from 'react';
import { Problem } from '../app/problem.ts';
import { placeErrors } from '../components/fields/field-errors.ts';

interface Form {
  setErrors(errors: Record<string, string>): void;
  getValues(): object;
}

export interface SavingOptions {
  readonly nameField: string; // where a name that is taken is told
  readonly rename?: ((field: string) => string) | undefined; // a field of the service → one of the form
}

export interface Saving {
  readonly isBusy: boolean;
  readonly problem: unknown;
  /** Does it and puts what the service has against it at the fields. Undefined: refused. */
  readonly perform: <T>(work: () => Promise<T>) => Promise<T | undefined>;
}

export function useSaving(form: Form, { nameField, rename }: SavingOptions): Saving {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const [refusals, setRefusals] = useState(0);
  // once the errors are drawn: the button that was pressed has lost the focus while it was busy
  useEffect(() => {
    if (refusals > 0) document.querySelector<HTMLElement>('form [aria-invalid="true"]')?.focus();
  }, [refusals]);
  const perform = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    setBusy(true);
    setProblem(null);
    try {
      return await work();
    } catch (error) {
      setProblem(placed(form, error, nameField, rename));
      setRefusals((count) => count + 1);
      return undefined;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, problem, perform };
}

function placed(form: Form, error: unknown, nameField: string, rename: SavingOptions['rename']): unknown {
  if (error instanceof Problem && error.code === 'name_taken') {
    form.setErrors({ [nameField]: error.message });
    return null;
  }
  return placeErrors(form, error, rename);
}
