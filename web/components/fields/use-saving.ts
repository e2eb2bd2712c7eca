import { useEffect, useState } from 'react';
import { Problem } from '../../app/problem.ts';
import { placeErrors } from './field-errors.ts';

interface Form {
  setErrors(errors: Record<string, string>): void;
  getValues(): object;
}

export interface SavingOptions {
  readonly nameField?: string; // the field that shows a name conflict; default: `name`
  readonly rename?: (field: string) => string; // maps a field of the service to a field of the form
}

export interface Saving {
  readonly isBusy: boolean;
  readonly problem: unknown;
  /** Runs the request and shows its errors at the fields. Undefined: refused. */
  readonly perform: <T>(work: () => Promise<T>) => Promise<T | undefined>;
}

/** The request of a form, with its errors. */
export function useSaving(form: Form, { nameField = 'name', rename }: SavingOptions = {}): Saving {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const [refusals, setRefusals] = useState(0);
  // after the errors are rendered: the submit button lost the focus while it was disabled
  useEffect(() => {
    if (refusals > 0) document.querySelector<HTMLElement>('form [aria-invalid="true"]')?.focus();
  }, [refusals]);
  const perform = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    setBusy(true);
    setProblem(null);
    try {
      return await work();
    } catch (error) {
      setProblem(placeProblem(form, error, nameField, rename));
      setRefusals((count) => count + 1);
      return undefined;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, problem, perform };
}

function placeProblem(form: Form, error: unknown, nameField: string, rename: SavingOptions['rename']): unknown {
  if (error instanceof Problem && error.code === 'name_taken') {
    form.setErrors({ [nameField]: error.message });
    return null;
  }
  return placeErrors(form, error, rename);
}
