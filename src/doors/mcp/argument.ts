import type { SentParameter } from '../../catalog/parameter.ts';
import { type ChartType, chartTypes } from '../../core/chart-config.ts';
import { type Field, fieldTable, type FieldTable, type FieldValues, ignoringSeparators } from '../input/fields.ts';
import { parameterValues as parameterField } from '../input/parameters.ts';
import { choice as choiceField, plainType, required, text as textField, whole as wholeField } from '../input/values.ts';
import type { JsonSchema } from './json-schema.ts';

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
  fieldTable({ ...declared, apiKey }, ignoringSeparators);

const apiKey: Field<unknown> = { required: false, from: 'body', unlisted: true, read: () => undefined };

// longer than any name, code or search
const anyText = textField({ max: 8192, refused: /\0/, expected: 'Expected text without NUL characters.' });

export const text = (description: string): Argument<string> & { required: false } => ({
  ...anyText,
  schema: { type: 'string', description },
});

export const requiredText = (description: string): Argument<string> & { required: true } => ({
  ...required(anyText),
  schema: { type: 'string', description },
});

/** Numbers above the maximum are clamped: the model gets rows, and the response says how many. */
export const whole = (description: string, minimum: number, maximum?: number): Argument<number> & { required: false } => ({
  ...wholeField(minimum, maximum),
  schema: { type: 'integer', minimum, ...(maximum === undefined ? {} : { maximum }), description },
});

export const choice = <const Word extends string>(
  description: string,
  words: readonly Word[],
): Argument<Word> & { required: true } => ({
  ...required(choiceField(words)),
  schema: { type: 'string', enum: words, description },
});

/** The chart types of the wizard; `Bar Chart` and `doughnut` are accepted, too. */
export const chartType = (description: string): Argument<ChartType> & { required: false } => ({
  ...choiceField(types, { doughnut: 'donut' }, plainType),
  schema: { type: 'string', enum: types, description },
});

const types = chartTypes.map(({ type }) => type);

/** Parameter values in the form of REST, or either of its shapes as a JSON text. */
export const parameterValues = (): Argument<readonly SentParameter[]> & { required: false } => ({
  ...parameterField({ spelling: ignoringSeparators, asText: true }),
  schema: {
    type: 'array',
    description:
      'Values for the declared parameters of the query, one object per parameter, e.g. [{"ParameterName": "@Region", "Value": "North America"}]. Leave it out if the query has no parameters; optional parameters may be left out. get_query_parameters returns names and types.',
    items: {
      type: 'object',
      description: 'One parameter and its value.',
      properties: {
        ParameterName: { type: 'string', description: '@Name from get_query_parameters.' },
        Value: {
          type: 'string',
          description:
            'Always a string; the service casts it. Write dates and times in ISO 8601 (2026-01-31, 2026-01-31T09:30:00), numbers with a decimal point, bit as 1 or 0. Dates may be relative: today-7d, month-start, now-90m. A list (Multiple) is a JSON array in the string, e.g. ["North", "South"].',
        },
        DataType: {
          type: 'string',
          description: 'SQL type such as nvarchar, int, datetime. Usually left out: the declared type is used.',
        },
      },
      required: ['ParameterName', 'Value'],
    },
  },
});
