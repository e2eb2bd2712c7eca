import { chartTypes } from '../../core/chart-config.ts';
import { definedFields } from '../../core/defined-fields.ts';
import { type Field, fieldTable, type FieldTable, type FieldValues, foldSeparators } from '../input/fields.ts';
import type { JsonSchema } from '../wire/json-schema.ts';
import { parameterValues as parameterField } from '../wire/parameters.ts';
import {
  choice as choiceField,
  type DeclaredField,
  toPlainType,
  requireField,
  text as textField,
  wholeNumber as wholeField,
} from '../wire/values.ts';

/** Declares an argument of a tool: its JSON Schema and its reader. */
export interface Argument<T> extends Field<T> {
  readonly schema: JsonSchema;
  /** Listed as required although another argument can replace it. */
  readonly listedAsRequired?: true;
}

export type ArgumentList = Readonly<Record<string, Argument<unknown>>>;
export type ArgumentValues<List extends ArgumentList> = FieldValues<List>;

/** Names ignore case, `_` and `-`; the key was read before. */
export const argumentTable = <List extends ArgumentList>(declared: List): FieldTable<List & { apiKey: Field<unknown> }> =>
  fieldTable({ ...declared, apiKey }, foldSeparators);

const apiKey: Field<unknown> = { required: false, from: 'body', unlisted: true, read: () => undefined };

// longer than any name, code or search
const anyText = textField({ max: 8192, refused: /\0/, expected: 'Expected text without NUL characters.' });

export const text = (description: string) => argument(anyText, description);

export const requiredText = (description: string) => argument(requireField(anyText), description);

/** Numbers above the maximum are clamped: the model gets rows, and the response says how many. */
export const wholeNumber = (description: string, minimum: number, maximum?: number) =>
  argument(wholeField(minimum, maximum), description);

export const choice = <const Word extends string>(description: string, words: readonly Word[]) =>
  argument(requireField(choiceField(words)), description);

/** The chart types of the wizard; `Bar Chart` and `doughnut` are accepted, too. */
export const chartType = (description: string) => argument(choiceField(types, { doughnut: 'donut' }, toPlainType), description);

const types = chartTypes.map(({ type }) => type);

/** Parameter values in the form of REST, or either of its shapes as a JSON text. */
export const parameterValues = () => argument(parameterField({ spelling: foldSeparators, asText: true }));

/** A field of the wire as an argument. What it means often depends on the tool. */
const argument = <F extends DeclaredField<unknown>>(field: F, description = field.modelSchema.description) => ({
  ...field,
  schema: { ...field.modelSchema, ...definedFields({ description }) },
});
