import { type FieldError, Problem } from '../../app/problem.ts';

/** The part of a Mantine form that is used here. */
interface Form {
  setErrors(errors: Record<string, string>): void;
  getValues(): object;
}

/**
 * Shows the errors of a Problem at the fields of a Mantine form. Returns the Problem if some error has no field and needs an alert,
 * otherwise null.
 */
export function placeErrors(form: Form, error: unknown, rename: (field: string) => string = (field) => field): unknown {
  if (!(error instanceof Problem)) return error;
  const fields = error.fields.map((each) => ({ ...each, field: rename(each.field) }));
  const values = form.getValues();
  const known = fields.filter(({ field }) => hasPath(values, field));
  form.setErrors(errorsByField(known));
  return fields.length > 0 && known.length === fields.length ? null : error;
}

/**
 * Names the item in an error like `databases.1` or `attributes.region`, because one field shows the whole list. `lists` are those that
 * were sent.
 */
export function nameItems(error: unknown, lists: Readonly<Record<string, readonly string[]>>): unknown {
  if (!(error instanceof Problem)) return error;
  const { status, code, message, requestId, retryAfterSeconds } = error;
  const fields = error.fields.map((each) => {
    const [field = '', item] = each.field.split('.');
    const list = lists[field];
    if (list === undefined || item === undefined) return each;
    return { ...each, field, message: `${list[Number(item)] ?? item}: ${each.message}` };
  });
  return new Problem({ status, code, message, requestId, retryAfterSeconds, fields });
}

/** `{'@Region': 'Expected …'}`, with the first error of each field. */
export const errorsByField = (fields: readonly FieldError[]): Record<string, string> =>
  Object.fromEntries([...fields].reverse().map(({ field, message }) => [field, message]));

/** Whether a problem is only about these fields, which show their own errors. */
export const isShownAtFields = ({ fields }: Problem, names: readonly string[]): boolean =>
  fields.length > 0 && fields.every(({ field }) => names.includes(field));

function hasPath(values: unknown, path: string): boolean {
  let at = values;
  for (const step of path.split('.')) {
    if (typeof at !== 'object' || at === null || !(step in at)) return false;
    at = Reflect.get(at, step);
  }
  return true;
}
