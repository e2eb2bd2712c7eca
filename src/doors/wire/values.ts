import { z } from 'zod';
import { chartTypes } from '../../core/chart-config.ts';
import type { Field, FieldList, From } from '../input/fields.ts';
import { parseJson } from '../input/json.ts';
import type { JsonSchema } from './json-schema.ts';

/** A field that is declared once: how it is read, its schema in the OpenAPI document, and the schema that models get. */
export interface DeclaredField<T> extends Field<T> {
  readonly openApi: z.ZodType;
  readonly modelSchema: JsonSchema;
}

/** Describes a field in the OpenAPI document; `openApi` is its schema there if callers send it in another form than it is read. */
export const documentField = <F extends DeclaredField<unknown>>(
  field: F,
  description: string,
  openApi = field.openApi.describe(description),
): F => ({ ...field, openApi, description });

export const requireField = <T>(field: DeclaredField<T>): DeclaredField<T> & { required: true } => ({ ...field, required: true });

export const readFromBody = <F extends Field<unknown>>(field: F): F => ({ ...field, from: 'body' });

/** In the body, the query string or a header of its name. */
export const readAlsoFromHeader = <F extends Field<unknown>>(field: F): F => ({ ...field, from: 'header' });

export type OptionalField<T> = DeclaredField<T> & { required: false };

const createOptional = <T>(openApi: z.ZodType, modelSchema: JsonSchema, read: Field<T>['read']): OptionalField<T> => ({
  required: false,
  from: 'query',
  openApi,
  modelSchema,
  read,
});
const createTextField = (read: Field<string>['read']): OptionalField<string> =>
  createOptional(z.string(), { type: 'string' }, read);

export interface TextRules {
  readonly max: number; // characters
  readonly refused?: RegExp;
  readonly expected?: string; // without refused characters
}

export const anyText = (expected = 'Expected a string.'): OptionalField<string> =>
  createTextField((value, path, problems) => {
    if (typeof value === 'string') return value;
    problems.push({ field: path, message: expected });
    return undefined;
  });

export const text = ({ max, refused, expected = '' }: TextRules): OptionalField<string> =>
  createTextField((value, path, problems) => {
    if (typeof value !== 'string') problems.push({ field: path, message: 'Expected a single text.' });
    else if (value.length > max && [...value].length > max)
      problems.push({ field: path, message: `Expected at most ${max} characters.` });
    else if (!value.isWellFormed()) problems.push({ field: path, message: 'Expected well-formed Unicode text.' });
    else if (refused?.test(value)) problems.push({ field: path, message: expected });
    else return value;
    return undefined;
  });

/** Decimal digits, as a number or as text. Above the maximum it is clamped, or refused if `clamps` is false. */
export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER, clamps = true): OptionalField<number> {
  const isOpen = max === Number.MAX_SAFE_INTEGER;
  const expected = `Expected a whole number ${isOpen ? `of at least ${min}` : `from ${min} to ${max}`}.`;
  const bounds = { minimum: min, ...(isOpen ? {} : { maximum: max }) };
  return createOptional(z.number().int().min(min).max(max), { type: 'integer', ...bounds }, (value, path, problems) => {
    if (value === '') return undefined;
    const digits = typeof value === 'string' && /^\d+$/.test(value.trim());
    const number = digits || Number.isInteger(value) ? Number(value) : Number.NaN;
    if (number >= min && (clamps || number <= max)) return Math.min(number, max);
    problems.push({ field: path, message: expected });
    return undefined;
  });
}

/** One of some words, ignoring case; `aliases` are further words by their meaning. */
export function choice<const Word extends string>(
  words: readonly Word[],
  aliases: Readonly<Record<string, Word>> = {},
  normalize: (sent: string) => string = (sent) => sent.trim().toLowerCase(),
): OptionalField<Word> {
  const known = new Map<string, Word>([...words.map((word) => [normalize(word), word] as const), ...Object.entries(aliases)]);
  return createOptional(z.enum(words), { type: 'string', enum: words }, (value, path, problems) => {
    if (value === '') return undefined;
    const word = typeof value === 'string' ? known.get(normalize(value)) : undefined;
    if (word === undefined) problems.push({ field: path, message: `Expected one of ${words.join(', ')}.` });
    return word;
  });
}

/** `Bar Chart`, as the wizard has it, means `bar`. */
export const toPlainType = (sent: string): string =>
  sent
    .replace(/[\s_-]/g, '')
    .toLowerCase()
    .replace(/chart$/, '');

export const chartTypeField = choice(
  chartTypes.map(({ type }) => type),
  { doughnut: 'donut' },
  toPlainType,
);

const on: readonly unknown[] = [true, 1, 'true', '1'];
const off: readonly unknown[] = [false, 0, 'false', '0'];

export const toggle: OptionalField<boolean> = createOptional(
  z.enum(['true', 'false']),
  { type: 'boolean' },
  (value, path, problems) => {
    if (value === '') return undefined;
    const word = typeof value === 'string' ? value.trim().toLowerCase() : value;
    if (on.includes(word)) return true;
    if (off.includes(word)) return false;
    problems.push({ field: path, message: 'Expected true or false.' });
    return undefined;
  },
);

/** A list of texts, or that as JSON text; an empty one counts as absent. */
export const textList: OptionalField<readonly string[]> = createOptional(
  z.array(z.string()),
  { type: 'array', items: { type: 'string', description: 'A name.' } },
  (value, path, problems) => {
    const json = typeof value === 'string' ? parseJson(value) : null;
    const sent = json?.ok === true ? json.value : value;
    const items: readonly unknown[] = Array.isArray(sent) ? sent : [value];
    const words = items.filter((each) => typeof each === 'string');
    if (words.length < items.length) problems.push({ field: path, message: 'Expected a list of texts.' });
    return words.length === 0 || value === '' ? undefined : words;
  },
);

/** A field that callers know from elsewhere; it is refused with an explanation. */
export const refuseField = (why: string): Field<never> & { required: false } => ({
  required: false,
  from: 'header',
  unlisted: true,
  read(_value, path, problems) {
    problems.push({ kind: 'FieldUnknown', field: path, message: why });
    return undefined;
  },
});

/** Where the OpenAPI document lists a field; it may be accepted in further places. */
const places: Readonly<Record<From, readonly From[]>> = { body: ['body'], query: ['query'], header: ['body', 'header'] };

/** The schema of one part of a request, by its fields. In a body, null counts as absent. */
export function requestSchema(fields: FieldList, place: From): z.ZodObject {
  const shape: Record<string, z.ZodType> = {};
  for (const [name, { openApi, description, required, from }] of Object.entries(fields)) {
    if (openApi === undefined || !places[from].includes(place)) continue;
    const schema = required ? openApi : place === 'body' ? openApi.nullish() : openApi.optional();
    shape[name] = description === undefined ? schema : schema.describe(description);
  }
  return z.object(shape);
}
