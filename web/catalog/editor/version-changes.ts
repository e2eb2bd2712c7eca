import { chartTypeName } from '../../../src/core/chart-config.ts';
import type { QueryChart, QueryColumn, QueryParameter } from '../../app/api-types.ts';
import { compatibilityNames, type QueryContent } from './query-draft.ts';

export interface Change {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

/** Describes the differences other than the SQL. */
export const versionChanges = (before: QueryContent, after: QueryContent): readonly Change[] =>
  fields.flatMap(([field, text]) => {
    const [was, is] = [text(before), text(after)];
    return was === is ? [] : [{ field, before: was, after: is }];
  });

const fields: readonly (readonly [name: string, text: (content: QueryContent) => string])[] = [
  ['Name', ({ name }) => name],
  ['Database', ({ database }) => database],
  ['Parameters', ({ parameters }) => parameters.map(parameterText).join('\n')],
  ['Columns', ({ columns }) => columns.map(columnText).join('\n')],
  ['Chart', ({ chart }) => (chart === null ? 'Suggested' : chartText(chart))],
  ['Description', ({ description }) => description],
  ['Tip', ({ tip }) => tip],
  ['Tags', ({ tags }) => tags.join(', ')],
  ['Roles', ({ roles }) => (roles.length === 0 ? 'Every role' : roles.join(', '))],
  ['AI access', ({ aiAccess }) => (aiAccess ? 'Yes' : 'No')],
  ['Compatibility', ({ compatibility }) => compatibilityNames[compatibility]],
  ['Timeout', ({ timeoutSeconds }) => (timeoutSeconds === null ? 'Default' : `${timeoutSeconds} s`)],
  ['Maximum rows', ({ maxRows }) => (maxRows === null ? 'Default' : maxRows.toLocaleString('en'))],
  ['Cache', ({ cacheSeconds }) => (cacheSeconds === null ? 'Off' : `${cacheSeconds} s`)],
];

function chartText({ type, label, data, series, aggregate, sortBy, timeUnit, options }: QueryChart): string {
  const parts = [
    chartTypeName(type),
    `${data.join(', ')} by ${label}`,
    ...(series === undefined ? [] : [`a series for each ${series}`]),
    ...(aggregate === undefined ? [] : [`aggregate ${aggregate}`]),
    ...(sortBy === undefined ? [] : [`sorted by ${sortBy}`]),
    ...(timeUnit === undefined ? [] : [`by ${timeUnit}`]),
    ...Object.entries(options ?? {}).map(([name, value]) => `${name} ${value}`),
  ];
  return parts.join(' · ');
}

function parameterText(parameter: QueryParameter): string {
  const {
    name,
    label = '',
    dataType,
    required,
    description = '',
    values = [],
    masked = false,
    multiple = false,
    boundTo,
    choices,
  } = parameter;
  const parts = [
    `${name} ${dataType}`,
    ...(label === '' ? [] : [`shown as ${label}`]),
    ...(multiple ? ['list'] : []),
    ...(boundTo === undefined ? [] : [`bound to ${boundTo}`]),
    required ? 'required' : 'optional',
    ...(parameter.default === undefined ? [] : [`default ${parameter.default}`]),
    ...(values.length === 0 ? [] : [`${parameter.valuesOpen === true ? 'suggests' : 'one of'} ${values.join(', ')}`]),
    ...(choices === undefined ? [] : [choicesText(choices, parameter.choicesOnly ?? false)]),
    ...(masked ? ['masked'] : []),
    ...(description === '' ? [] : [description]),
  ];
  return parts.join(' · ');
}

function choicesText({ query, value, label, parameters = {} }: NonNullable<QueryParameter['choices']>, only: boolean): string {
  const shown = label === undefined || label === value ? value : `${value} shown as ${label}`;
  const passed = Object.entries(parameters).map(([to, from]) => (to === from ? from : `${to} from ${from}`));
  return `${only ? 'only choices' : 'choices'} from ${query} (${[shown, ...passed].join(', ')})`;
}

const columnText = ({ name, displayName, type, format }: QueryColumn): string =>
  [
    name,
    ...(displayName === undefined ? [] : [`shown as ${displayName}`]),
    ...(type === undefined ? [] : [type]),
    ...(format === undefined ? [] : [`format ${Object.values(format).join(' ')}`]),
  ].join(' · ');
