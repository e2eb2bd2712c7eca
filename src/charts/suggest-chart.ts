import type { QueryChart } from '../catalog/query.ts';
import { type Aggregate, type ChartColumnNames, type ChartConfig, chartConfigDefaults } from '../core/chart-config.ts';
import type { LabeledColumn } from '../core/column.ts';
import { type FieldProblem, failed, type Result, succeeded } from '../core/errors.ts';
import type { ColumnNature } from '../results/columns.ts';
import type { ChartColumn, ChartRow } from './built-chart.ts';
import { labelText, toTime } from './cell-values.ts';
import { isIdName } from './classify.ts';

/**
 * The chart that a result is drawn as at first: its author's, or a suggestion by the columns and, if there are some, the rows.
 * Null if there is nothing to measure: the rows are a list.
 */
export function chartSettings(
  chart: QueryChart | null | undefined,
  columns: readonly ChartColumn[],
  rows: readonly ChartRow[] = [],
): ChartConfig | null {
  const shown = columns.map(({ name: label, ...rest }) => ({ ...rest, label }));
  return chart && chartProblems(chart, shown).length === 0 ? configOfChart(chart) : suggestChart(columns, rows);
}

/** A column by its display name. */
export type ShownColumn = Pick<LabeledColumn, 'label' | 'format'>;

/** The fields of an author's chart that name no column of the query, or an id as a measure. */
export function chartProblems(chart: QueryChart, columns: readonly ShownColumn[]): readonly FieldProblem[] {
  const named = [
    { field: 'label', name: chart.label, isData: false },
    ...chart.data.map((name, index) => ({ field: `data.${index}`, name, isData: true })),
    ...(chart.series === undefined ? [] : [{ field: 'series', name: chart.series, isData: false }]),
  ];
  return named.flatMap(({ field, name, isData }) => {
    const column = columns.find(({ label }) => label === name);
    const message = column === undefined ? describeMissing(name, columns) : isData ? describeId(column) : null;
    return message === null ? [] : [{ field, message }];
  });
}

const describeMissing = (name: string, columns: readonly ShownColumn[]): string => {
  const listed = columns.slice(0, 50).map(({ label }) => label);
  return `The query has no column ${JSON.stringify(name)}. It has ${listed.join(', ')}.`;
};

/** Why the column cannot be measured; null if it can. */
export const describeId = ({ label, format }: ShownColumn): string | null =>
  format?.kind === 'id' ? `The column ${JSON.stringify(label)} contains ids, which are not a measure. Choose another one.` : null;

export function configOfChart({ type, label, data, series, aggregate, sortBy, timeUnit, options }: QueryChart): ChartConfig {
  const [dataColumn = '', ...moreDataColumns] = data;
  return {
    ...chartConfigDefaults,
    ...options,
    chartType: type,
    labelColumn: label,
    dataColumn,
    moreDataColumns,
    seriesColumn: series ?? null,
    aggregate: aggregate ?? chartConfigDefaults.aggregate,
    sortBy: sortBy ?? chartConfigDefaults.sortBy,
    timeUnit: timeUnit ?? chartConfigDefaults.timeUnit,
  };
}

/**
 * A time and a measure become a line, a category and a measure bars, two numbers dots. Rows without a measure are a list, which is
 * shown as a table. A date after the first number, such as that of the last order, does not order the rows. If each of many rows has
 * a different name, a date or a category with fewer labels is better than a bar for each name.
 */
function suggestChart(columns: readonly ChartColumn[], rows: readonly ChartRow[]): ChartConfig | null {
  const numbers = columns.filter((column) => natureOf(column) === 'number' && !isPeriod(column) && !isOrdinal(column));
  const [first] = numbers;
  const [measure] = numbers.toSorted((a, b) => rankMeasure(a) - rankMeasure(b));
  if (first === undefined || measure === undefined) return null;
  const categories = listCategories(columns);
  const hasNames = categories[0] !== undefined && isUniqueInManyRows(categories[0], rows);
  const time =
    columns.slice(0, columns.indexOf(first)).find((column) => isTime(column, columns, rows)) ??
    (hasNames ? columns.find((column) => isMoment(column, rows)) : undefined);

  const base = { ...chartConfigDefaults, dataColumn: measure.name, aggregate: aggregateOf(measure) };
  if (time !== undefined)
    return { ...base, chartType: 'line', labelColumn: time.name, seriesColumn: findSeries(categories, time, rows) };
  const category = (hasNames ? categories.find((column) => isRepeated(column, rows)) : undefined) ?? categories[0];
  if (category !== undefined) {
    const seriesColumn = findSeries(categories, category, rows);
    return { ...base, chartType: 'bar', labelColumn: category.name, seriesColumn, ...chooseLayout(category, rows) };
  }
  const y = numbers.find((column) => column !== first);
  const label = columns.find((column) => natureOf(column) === 'id' || isOrdinal(column)) ?? columns[0] ?? first;
  if (y === undefined) return { ...base, chartType: 'bar', labelColumn: label.name };
  return { ...base, chartType: 'scatter', labelColumn: first.name, dataColumn: y.name, aggregate: 'none' };
}

/** The rows of each label: for a list that its author wants to draw nevertheless. Null without columns. */
export function countRows(columns: readonly ChartColumn[]): ChartConfig | null {
  const name = (listCategories(columns)[0] ?? columns[0])?.name;
  const counted = { ...chartConfigDefaults, chartType: 'bar', aggregate: 'count' } as const;
  return name === undefined ? null : { ...counted, labelColumn: name, dataColumn: name };
}

/** Texts, those that name something before codes. */
const listCategories = (columns: readonly ChartColumn[]): readonly ChartColumn[] => {
  const texts = columns.filter((column) => ['text', 'boolean'].includes(natureOf(column)));
  return texts.toSorted((a, b) => Number(isIdName(a.name)) - Number(isIdName(b.name)));
};

/** Money before counts, counts before prices, and rates last: they cannot be added up. */
function rankMeasure(column: ChartColumn): number {
  if (isRate(column)) return 3;
  if (isAveraged(column)) return 2;
  return column.format?.kind === 'currency' || (column.format === undefined && hasWord(column, money)) ? 0 : 1;
}

/** The name of a category that splits the rows into few series, with one row at each label of each series; null if there is none. */
function findSeries(categories: readonly ChartColumn[], label: ChartColumn, rows: readonly ChartRow[]): string | null {
  if (labelsOf(label, rows).size === rows.length) return null;
  const found = categories.find((column) => {
    const series = labelsOf(column, rows).size;
    if (column === label || series < 2 || series > mostSeries) return false;
    const pairs = new Set(rows.map((row) => JSON.stringify([row[label.name], row[column.name]])));
    return pairs.size === rows.length;
  });
  return found?.name ?? null;
}

/** Long or many labels are read beside horizontal bars, and compared by length. Days, months and sizes keep their order. */
function chooseLayout(label: ChartColumn, rows: readonly ChartRow[]): Partial<ChartConfig> {
  const labels = [...labelsOf(label, rows)];
  if (natureOf(label) === 'boolean' || labels.some((text) => hasOrder(text))) return {};
  const isLong = labels.some((text) => text.length > longLabel);
  return isLong || labels.length > manyLabels ? { barOrientation: 'horizontal', sortBy: 'value' } : {};
}

/** A time that the rows follow: before every measure, and after no text unless the text repeats with it. */
function isTime(column: ChartColumn, columns: readonly ChartColumn[], rows: readonly ChartRow[]): boolean {
  if (isPeriod(column)) return true;
  if (!isMoment(column, rows)) return false;
  const before = columns.slice(0, columns.indexOf(column)).filter((each) => natureOf(each) === 'text');
  return before.every((each) => rows.length > 1 && labelsOf(each, rows).size <= Math.min(mostSeries, rows.length / 2));
}

/** A date or a time of the row itself. */
function isMoment(column: ChartColumn, rows: readonly ChartRow[]): boolean {
  if (natureOf(column) !== 'time' || wordsOf(column.name).some((word) => ['last', 'first', 'latest', 'next'].includes(word)))
    return false;
  return rows.every((row) => row[column.name] == null || toTime(row[column.name]) !== null); // otherwise a time of day
}

const isUniqueInManyRows = (column: ChartColumn, rows: readonly ChartRow[]): boolean =>
  rows.length >= manyRows && labelsOf(column, rows).size === rows.length;

const isRepeated = (column: ChartColumn, rows: readonly ChartRow[]): boolean => labelsOf(column, rows).size <= rows.length / 2;

const manyRows = 1000; // of a page: a larger result may have more groups than a chart can have
const mostSeries = 8;
const longLabel = 16; // characters
const manyLabels = 12;

/** For columns without a nature, which callers may pass. */
const natureOf = ({ class: columnClass, nature }: ChartColumn): ColumnNature =>
  nature ?? (columnClass === 'numeric' ? 'number' : 'text');

const labelsOf = ({ name }: ChartColumn, rows: readonly ChartRow[]): ReadonlySet<string> =>
  new Set(rows.map((row) => labelText(row[name])));

/** Adding up rates, averages, prices or ratings gives a number that means nothing. */
const aggregateOf = (measure: ChartColumn): Aggregate =>
  isRate(measure) || isAveraged(measure) ? 'average' : chartConfigDefaults.aggregate;

const isRate = (column: ChartColumn): boolean =>
  column.format?.kind === 'percent' || column.name.includes('%') || hasWord(column, rates);
const isAveraged = (column: ChartColumn): boolean => column.format?.kind === 'duration' || hasWord(column, averaged);

/** A year or a month as a number: a position in time, not a measure. */
const isPeriod = (column: ChartColumn): boolean => natureOf(column) === 'number' && periods.has(wordsOf(column.name).join(' '));

/** A rank or the number of a line. */
const isOrdinal = (column: ChartColumn): boolean => {
  const words = wordsOf(column.name);
  return (words.length > 1 && words.at(-1) === 'number') || (words.length === 1 && ordinals.has(words[0] ?? ''));
};

const hasWord = ({ name }: ChartColumn, words: ReadonlySet<string>): boolean => wordsOf(name).some((word) => words.has(word));

const rates = new Set(['rate', 'ratio', 'percent', 'percentage', 'pct', 'share', 'quota', 'avg', 'average', 'mean', 'median']);
const averaged = new Set([
  ...['price', 'rating', 'score', 'stars', 'grade', 'age', 'temperature', 'speed', 'latitude', 'longitude'],
  ...['stock', 'inventory', 'hand', 'balance', 'level'], // a state: its sum over days means nothing
]);
const money = new Set(
  'revenue sales turnover income profit margin cost costs spend spent spending expense expenses amount budget fee fees payment payments salary balance gross net'.split(
    ' ',
  ),
);
const periods = new Set(['year', 'month', 'quarter', 'week', 'day', 'hour', 'fiscal year', 'order year', 'order month']);
const ordinals = new Set(['rank', 'position', 'row', 'index', 'nr', 'no']);

/** The words of a name in lower case: `avgPrice`, `avg_price` and `Avg price` have the same. */
const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** Weekdays, months, quarters, and labels that start with a number: `18–25`, `10 kg`. */
const hasOrder = (text: string): boolean => /^\s*(?:[<>≤≥]\s*)?\d/.test(text) || orderedLabels.test(text);
const orderedLabels =
  /^(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|q[1-4]|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b/i;

/** The chart with its columns as the result spells them: case is ignored if that is unambiguous. */
export function resolveColumns<Chart extends ChartColumnNames>(columns: readonly ShownColumn[], chart: Chart): Result<Chart> {
  const problems: FieldProblem[] = [];
  const column = (field: 'labelColumn' | 'dataColumn' | 'seriesColumn', sent: string): string => {
    const same = columns.filter(({ label }) => label === sent);
    const alike = same.length > 0 ? same : columns.filter(({ label }) => label.toLowerCase() === sent.toLowerCase());
    const [found] = alike;
    if (found === undefined || alike.length > 1) {
      problems.push({ field, message: describeMissing(sent, columns) });
      return sent;
    }
    const message = field === 'dataColumn' ? describeId(found) : null;
    if (message !== null) problems.push({ field, message });
    return found.label;
  };
  const named = {
    ...chart,
    labelColumn: column('labelColumn', chart.labelColumn),
    dataColumn: column('dataColumn', chart.dataColumn),
    moreDataColumns: chart.moreDataColumns.map((sent) => column('dataColumn', sent)),
    seriesColumn: chart.seriesColumn === null ? null : column('seriesColumn', chart.seriesColumn),
  };
  return problems.length > 0 ? failed({ kind: 'FieldInvalid', problems }) : succeeded(named);
}
