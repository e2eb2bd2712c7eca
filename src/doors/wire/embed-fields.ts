import { z } from 'zod';
import { DEFAULT_EMBED_DAYS, embedViewers, MAX_DAYS } from '../../access/share.ts';
import {
  aggregate,
  barOrientation,
  chartTheme,
  chartType,
  legendPosition,
  sortBy,
  stacked,
  timeUnit,
} from '../../catalog/chart-fields.ts';
import * as charts from '../../core/chart-config.ts';
import { nameSchemas } from '../http/operation.ts';
import { fieldTable } from '../input/fields.ts';
import { parameterValues } from './parameters.ts';
import {
  choice,
  type OptionalField,
  documentField,
  toPlainType,
  requireField,
  text,
  textList,
  toggle,
  wholeNumber,
  requestSchema,
} from './values.ts';

const line = (max: number) => text({ max, refused: /\p{Cc}/u, expected: 'It must not contain control characters.' });
const option = (min: number, max: number) => wholeNumber(min, max, false);

const days = option(1, MAX_DAYS);
const expirationDays: OptionalField<number | 'never'> = {
  ...days,
  read(value, path, problems) {
    if (typeof value === 'string' && value.trim().toLowerCase() === 'never') return 'never';
    const { length } = problems;
    const read = days.read(value, path, problems);
    if (problems.length > length)
      problems[length] = { field: path, message: `Expected a whole number from 1 to ${MAX_DAYS}, or never.` };
    return read;
  },
};

const columnName = line(1000);

/** One column, or several: a repeated parameter, or a list in a JSON body. */
export const columnNames: OptionalField<readonly string[]> = {
  ...columnName,
  openApi: z.union([z.string(), z.array(z.string())]),
  read(value, path, problems) {
    const sent = Array.isArray(value) ? value : [value];
    if (sent.length > MAX_DATA_COLUMNS) problems.push({ field: path, message: `Expected at most ${MAX_DATA_COLUMNS} columns.` });
    const names = sent.slice(0, MAX_DATA_COLUMNS).flatMap((each) => columnName.read(each, path, problems) || []);
    return names.length === 0 ? undefined : names;
  },
};

const MAX_DATA_COLUMNS = 20;

/** The columns of `dataColumn` as those of a chart. */
export function toDataColumns(names: readonly string[] | null | undefined): {
  dataColumn?: string;
  moreDataColumns?: readonly string[];
} {
  const [first, ...more] = names ?? [];
  return first === undefined ? {} : { dataColumn: first, moreDataColumns: more };
}

/** Sources of a Content-Security-Policy. They become part of a header, so nothing else is accepted. */
export const FRAME_SOURCES =
  /^(?:'self'|'none'|(?:https?:\/\/)?(?:\*\.)?[a-z0-9.-]+(?::(?:\d+|\*))?)(?: (?:'self'|(?:https?:\/\/)?(?:\*\.)?[a-z0-9.-]+(?::(?:\d+|\*))?))*$/i;
export const EXPECTED_SOURCES =
  "Expected sources as in frame-ancestors: 'self' https://intranet.example.com https://*.example.org.";
const sources = line(1000);
const frameAncestors: OptionalField<string> = {
  ...sources,
  read(value, path, problems) {
    const read = sources.read(value, path, problems)?.trim().replace(/\s+/g, ' ');
    if (read === undefined || read === '' || FRAME_SOURCES.test(read)) return read;
    problems.push({ field: path, message: EXPECTED_SOURCES });
    return undefined;
  },
};

/** Names of parameters: a list, a repeated parameter, or separated by commas. */
const openNames: typeof textList = {
  ...textList,
  openApi: z.union([z.string(), z.array(z.string())]),
  read: (value, path, problems) =>
    textList
      .read(value, path, problems)
      ?.flatMap((each) => each.split(','))
      .map((each) => each.trim())
      .filter((each) => each !== ''),
};

const OF_QUERY = 'Default: that of the chart of the query';
const createSwitch = (fallback: boolean, description = `Default ${fallback}`) => documentField(toggle, description);
/** A number; query strings are texts. */
const number = (min: number, max: number, description: string) => documentField(option(min, max), description, z.string());

/** The options of GetEmbedUrl, docs/spec.md 4.3. */
const embedFields = {
  queryName: requireField(documentField(line(1000), 'Technical name of an Active query')),
  parameters: documentField(parameterValues({ asText: true }), 'JSON array of {ParameterName, Value, DataType}', z.string()),
  chartType: documentField(
    choice([...charts.chartTypes.map(({ type }) => type), 'doughnut'], {}, toPlainType),
    `${OF_QUERY}, and required without one`,
    chartType,
  ),
  labelColumn: documentField(line(1000), `Column for the x axis or the labels. ${OF_QUERY}, and required without one`),
  dataColumn: documentField(
    columnNames,
    `Column for the y axis or the values; repeated: one series for each. ${OF_QUERY}, and required without one`,
  ),
  seriesColumn: documentField(line(1000), 'Column: one series for each of its values, with one data column'),
  stacked: documentField(choice(charts.stackings), 'How several series of bars and areas are drawn; default none', stacked),
  aggregate: documentField(choice(charts.aggregates), 'How rows with the same label are combined; default sum', aggregate),
  sortBy: documentField(
    choice(charts.sortings, { 'as is': 'none' }),
    'Order of the labels; default none, that of the rows',
    sortBy,
  ),
  timeUnit: documentField(
    choice(charts.timeUnits),
    'Unit of time that labels are grouped by, for a label with dates or times; default auto, by the range',
    timeUnit,
  ),
  expirationDays: documentField(expirationDays, `1 to ${MAX_DAYS}, or never; default ${DEFAULT_EMBED_DAYS}`, z.string()),
  title: documentField(line(300), 'Default: the name of the query; empty: none'),
  chartHeight: number(100, 4000, 'Pixels, 100 to 4000; default 400'),
  showToolbar: createSwitch(true),
  showDataLabels: createSwitch(false),
  showGrid: createSwitch(true),
  showLegend: createSwitch(true),
  legendPosition: documentField(choice(charts.legendPositions), 'Default bottom', legendPosition),
  enableZoom: createSwitch(true),
  enableAnimations: createSwitch(true),
  animationSpeed: number(0, 10_000, 'Milliseconds, 0 to 10000; default 800'),
  barOrientation: documentField(choice(charts.barOrientations), 'Default vertical', barOrientation),
  barWidth: number(1, 100, 'Percent of the available space, 1 to 100; default 60'),
  theme: documentField(choice(charts.chartThemes), "Default auto: matches the viewer's system", chartTheme),
  frameAncestors: documentField(
    frameAncestors,
    'Pages that may frame the chart, as in a Content-Security-Policy; default: those of the settings, which hold in any case',
  ),
  viewer: documentField(
    choice(embedViewers),
    'Whose rows a view shows: `issuer` (default), or `signed`: those of a viewer for whom an application signed a token',
    z.enum(embedViewers),
  ),
  open: documentField(
    openNames,
    'Names of parameters that viewers may choose, in fields above the chart or as `@Name=` in the address. Their values are the defaults',
  ),
  patterns: createSwitch(false, 'Patterns in addition to colors, for color-blind viewers; default false'),
};
export const embedTable = fieldTable(embedFields);
export const embedUrlQuery = requestSchema(embedFields, 'query');

export const linkResponse = z.object({
  Id: z.string(),
  Token: z.string(),
  EmbedUrl: z.string().describe('Needs no credential: anyone who has it sees the chart'),
  IframeCode: z.string(),
  ExpiresAt: z.string().nullable().describe('ISO 8601, in UTC; null: never'),
});

export const tokenQuery = z.looseObject({
  token: z.string().describe('Of an EmbedUrl. Values of open parameters follow under their names: `&@Region=North`'),
  viewer: z.string().optional().describe('The token of a viewer, for an embed with signed viewers'),
});

export const imageQuery = tokenQuery.extend({ format: z.enum(['svg', 'png']).optional().describe('Default svg') });

nameSchemas({ EmbedLink: linkResponse });
