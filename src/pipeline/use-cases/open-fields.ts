import { fixedValuesOf, identityOf, type Principal } from '../../access/principal.ts';
import type { Embed } from '../../access/share.ts';
import { castValue } from '../../catalog/cast/cast.ts';
import { fixedNames, plainName, sendableParameters, type SentParameter, type SentValue } from '../../catalog/parameter.ts';
import type { ParameterDefinition } from '../../catalog/query.ts';
import { parseSqlType } from '../../catalog/sql-type.ts';
import { type FieldProblem, succeeded } from '../../core/errors.ts';
import { type SqlType, textsOf } from '../../core/sql-value.ts';
import { rowsDigestOf } from '../../results/continuation.ts';
import type { Authorized, RunForm } from '../authorized.ts';
import type { QueryStore } from '../find-query.ts';
import { type Choice, findChoiceQuery, type ReadChoices } from '../steps/choices.ts';
import type { ChartCache } from './chart-cache.ts';

export interface ViewForm extends RunForm {
  readonly embed: Embed;
}

/** A field by which viewers of an embed choose the value of an open parameter. */
export interface OpenField {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly type: SqlType['name'];
  readonly isList: boolean;
  readonly isRequired: boolean;
  readonly hasDefault: boolean; // which an empty field means
  readonly isMasked: boolean;
  readonly values: readonly string[]; // of a single value at most one
  readonly options: readonly Choice[];
  readonly isClosed: boolean; // it takes no other values
}

type Options = Pick<OpenField, 'options' | 'isClosed'>;

export type ReadFields = (authorized: Authorized<ViewForm>) => Promise<readonly OpenField[]>;

const MOST_CHOICES = 200;

/** The fields of a view, with the choices that its viewer has. They are cached as long as the chart: a page is viewed more often than they change. */
export function createReadFields(store: QueryStore, readChoices: ReadChoices, cache: ChartCache<Options>): ReadFields {
  const readOptions = async (authorized: Authorized<ViewForm>, parameter: ParameterDefinition): Promise<Options> => {
    const { call, form, principal, values } = authorized;
    const source = await findChoiceQuery(store, principal, parameter, call.channel);
    if (source === null) return noOptions;
    const names = Object.values(parameter.choices?.parameters ?? {});
    const digest = rowsDigestOf(
      source.query.id,
      values.filter(({ name }) => names.includes(name)),
    );
    const who = [principal.userId, identityOf(principal), fixedValuesOf(principal)];
    const key = JSON.stringify([form.embed.id, who, source.query.current.version, parameter.choices, digest]);
    const { result } = await cache.get(key, call.signal, async (left) => {
      const options = new Map<string, Choice>();
      let isMore = false;
      const read = await readChoices(
        { ...authorized, call: { ...call, signal: left } },
        parameter,
        { filter: null, isShown: true },
        (choice) => {
          isMore = options.size === MOST_CHOICES && !options.has(choice.value);
          if (!isMore) options.set(choice.value, options.get(choice.value) ?? choice);
          return !isMore;
        },
      );
      if (!read.ok) return read;
      const isClosed = parameter.choicesOnly === true && read.value.isWhole && !isMore;
      const list = [...options.values()];
      return succeeded({ value: { options: list, isClosed }, bytes: key.length + JSON.stringify(list).length * 2 });
    });
    return result.ok ? result.value : noOptions; // the field takes a text, which is checked
  };
  return async (authorized) => {
    const { form, principal, query } = authorized;
    const choices = new Map<string, Options>();
    for (const each of query.current.definition.parameters)
      if (each.choices !== undefined && form.open?.includes(each.name) === true)
        choices.set(each.name, await readOptions(authorized, each));
    return fieldsOf(query.current.definition.parameters, principal, form, choices);
  };
}

const noOptions: Options = { options: [], isClosed: false };

/** The fields in the order of the parameters, without those that are fixed for the viewer. `choices` are by name. */
export function fieldsOf(
  declared: readonly ParameterDefinition[],
  principal: Principal,
  { open = [], parameters, kept = [] }: RunForm,
  choices: ReadonlyMap<string, Options> = new Map(),
): readonly OpenField[] {
  const fixed = fixedNames(declared, fixedValuesOf(principal));
  const shown = sendableParameters(declared).filter(({ name }) => open.includes(name) && !fixed.has(name));
  const sent = (list: readonly SentParameter[], name: string) => list.find(({ ParameterName }) => ParameterName === name)?.Value;
  return shown.map((parameter): OpenField => {
    const { name, label = '', description = '', required, multiple, masked } = parameter;
    const type = parseSqlType(parameter.dataType) ?? { name: 'text' };
    const isMasked = masked === true;
    const hasDefault = parameter.default !== undefined || sent(kept, name) != null;
    const values = sent(parameters, name) ?? (isMasked ? undefined : (sent(kept, name) ?? defaultOf(parameter)));
    return {
      name,
      label: label || plainName(name),
      description,
      type: type.name,
      isList: multiple === true,
      isRequired: required && !hasDefault,
      hasDefault,
      isMasked,
      values: sentTexts(values).map((each) => (type.name === 'bit' ? toCanonical(each, type) : each)),
      ...(choices.get(name) ?? optionsOf(parameter, type)),
    };
  });
}

/** Required open parameters that have no value yet. */
export function missingProblems({ form, query, values }: Authorized<ViewForm>): readonly FieldProblem[] {
  const isMissing = ({ name, required }: ParameterDefinition): boolean =>
    required && form.open?.includes(name) === true && textsOf(values.find((each) => each.name === name)).length === 0;
  return query.current.definition.parameters
    .filter(isMissing)
    .map(({ name }) => ({ kind: 'ParameterInvalid', field: name, message: CHOOSE_VALUE }));
}

export const CHOOSE_VALUE = 'Choose a value.';

/** The values of open parameters, to be written below a picture, which has no fields. */
export function describeOpen({ form, query, values }: Authorized<ViewForm>): readonly string[] {
  return query.current.definition.parameters.flatMap(({ name, label, masked }) => {
    const isShown = form.open?.includes(name) === true && masked !== true;
    const texts = isShown ? textsOf(values.find((each) => each.name === name)) : [];
    return texts.length === 0 ? [] : [`${label || plainName(name)}: ${texts.slice(0, MOST_WRITTEN).join(', ')}.`];
  });
}

const MOST_WRITTEN = 10;

const sentTexts = (value: SentValue | undefined): readonly string[] => [value ?? []].flat().flatMap((each) => each ?? []);

function defaultOf({ default: text, multiple }: ParameterDefinition): SentValue | undefined {
  if (text === undefined || multiple !== true || !text.trimStart().startsWith('[')) return text;
  const items: unknown = JSON.parse(text); // checked when the query was saved
  return Array.isArray(items) ? items.map(String) : text;
}

function toCanonical(text: string, type: SqlType): string {
  const cast = castValue(text, type);
  return cast.ok ? (cast.value ?? text) : text;
}

const sameLabel = (value: string): Choice => ({ value, label: value });

function optionsOf({ values = [], valuesOpen }: ParameterDefinition, { name }: SqlType): Options {
  if (values.length > 0) return { options: values.map(sameLabel), isClosed: valuesOpen !== true };
  if (name === 'bit') return { options: yesOrNo, isClosed: true };
  return isMoment.has(name) ? { options: moments, isClosed: false } : noOptions;
}

const yesOrNo: readonly Choice[] = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
];

const isMoment: ReadonlySet<SqlType['name']> = new Set(['date', 'datetime', 'datetimeoffset']);
const moments: readonly Choice[] = [
  { value: 'today', label: 'Today' },
  { value: 'yesterday', label: 'Yesterday' },
  { value: 'today-7d', label: '7 days ago' },
  { value: 'today-30d', label: '30 days ago' },
  { value: 'week-start', label: 'Start of this week' },
  { value: 'month-start', label: 'Start of this month' },
  { value: 'month-start-1mo', label: 'Start of last month' },
  { value: 'quarter-start', label: 'Start of this quarter' },
  { value: 'year-start', label: 'Start of this year' },
];
