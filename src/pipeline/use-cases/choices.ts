import { findDeclared } from '../../catalog/parameter.ts';
import { failed, fieldInvalid, type Result, succeeded } from '../../core/errors.ts';
import type { RunForm } from '../authorized.ts';
import type { Call } from '../call.ts';
import type { Deliver } from '../deliver.ts';
import type { Choice, ReadChoices } from '../steps/choices.ts';

export interface ChoicesForm extends RunForm {
  readonly choicesOf: string;
  readonly search: string; // in labels, ignoring case
  readonly limit: number;
}

export type DeliverChoices = (
  call: Call,
  form: () => Result<ChoicesForm>,
) => Promise<Result<{ readonly items: readonly Choice[]; readonly truncated: boolean }>>;

/** The choices of a parameter for a caller who may run its query. */
export function createDeliverChoices({ deliver, readChoices }: { deliver: Deliver; readChoices: ReadChoices }): DeliverChoices {
  return (call, form) =>
    deliver({ call, action: 'query.choices', form }, async (authorized) => {
      const { query, draft, allowance } = authorized;
      const { choicesOf, search, limit } = authorized.form;
      const parameter = findDeclared(query.current.definition.parameters, choicesOf);
      if (parameter?.choices === undefined)
        return failed(fieldInvalid('parameter', 'The query has no parameter of this name whose choices come from a query.'));
      draft.parameters = {
        ...draft.parameters,
        parameter: parameter.name,
        ...(search === '' ? {} : { search: search.slice(0, 200) }),
      };
      const held = await allowance.hold(limit);
      if (!held.ok) return held;
      const most = Math.min(limit, held.value);
      const wanted = search.toLowerCase();
      const { choices } = parameter;
      const filter = search === '' ? null : { column: choices.label ?? choices.value, contains: search };
      const items = new Map<string, Choice>();
      let bytes = 0;
      let truncated = false;
      const read = await readChoices(authorized, parameter, { filter, isShown: true }, (choice) => {
        if (items.has(choice.value) || !choice.label.toLowerCase().includes(wanted)) return true;
        bytes += choice.value.length + choice.label.length;
        truncated = items.size === most || bytes > MOST_BYTES;
        if (!truncated) items.set(choice.value, choice);
        return !truncated;
      });
      if (!read.ok) return read;
      draft.rows = items.size;
      return succeeded({ items: [...items.values()], truncated: truncated || !read.value.isWhole });
    });
}

const MOST_BYTES = 4 * 1024 * 1024; // of one response
