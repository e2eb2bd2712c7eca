import { formatKinds } from '../../core/column-format.ts';
import type { ChartPage } from '../../pipeline/use-cases/chart-page.ts';
import type { Page } from '../../pipeline/use-cases/page.ts';
import type { Chunk } from '../../pipeline/use-cases/stream.ts';
import type { ClassifiedColumn } from '../../results/columns.ts';
import { bodyOf, type PageResponse, pageResponse } from '../rest/page-format.ts';
import { integer, type JsonSchema, listOf, objectOf, string, stringOrNull, withoutDescriptions } from '../wire/json-schema.ts';
import { modelPage, modelRows } from '../wire/page-fields.ts';
import { runningChart, runningChunk, runningPage, status } from './running.ts';
import type { ToolResponse } from './tool.ts';

export function pageOf(page: Page): ToolResponse {
  if (page.isRunning) return runningPage(page);
  return { json: bodyOf(showPage(pageResponse(page), page, page.shown?.isTable ? page.shown.labels : null, toNextPage)) };
}

/** The picture follows the text; the chart App reads from `_meta` what it shows. */
export function chartPageOf({ page, drawn }: ChartPage): ToolResponse {
  if (page.isRunning) return runningChart(page);
  const labels = page.shown && new Set(page.shown.labels);
  const columns = page.columns.filter(({ label }) => labels?.has(label) ?? true).map(describeColumn);
  const json = bodyOf(showPage(pageResponse(page), page, columns, toNextPage));
  if (drawn === null) return { json };
  return {
    json,
    image: { type: 'image', data: drawn.png.toString('base64'), mimeType: 'image/png' },
    meta: { 'sluice/chart': { config: drawn.config, columns: drawn.columns, data: drawn.data } },
  };
}

export function chunkOf({ page, chunkIndex }: Chunk): ToolResponse {
  if (page.isRunning) return runningChunk(page, chunkIndex);
  const tail = `],"chunkIndex":${chunkIndex},"rowsSent":${page.nextRowIndex},"streamToken":${JSON.stringify(page.code)}}`;
  const labels = page.shown?.isTable ? page.shown.labels : null;
  return { json: bodyOf(showPage({ ...pageResponse(page), tail }, page, labels, toNextChunk)) };
}

/** How a model gets the next rows. */
interface NextStep {
  readonly code: string;
  readonly tool: string;
}
const toNextPage: NextStep = { code: 'queryMoreCode', tool: 'execute_query_next_page' };
const toNextChunk: NextStep = { code: 'streamToken', tool: 'resume_stream' };

/** The rows as they are shown, with `columns` before and a note after them. */
function showPage(response: PageResponse, page: Page, columns: readonly unknown[] | null, next: NextStep): PageResponse {
  const note = noteOf(page, next);
  return {
    ...response,
    ...(page.shown && { rows: page.shown.rows, ownsRows: true }),
    ...(columns && { head: `{"Columns":${JSON.stringify(columns)},"Data":[` }),
    ...(note !== '' && { tail: `${response.tail.slice(0, -1)},"note":${JSON.stringify(note)}}` }),
  };
}

/** For a model whose result lacks its last rows. */
export const MISSING_ROWS = 'Files are exported with export_query. Tell the user if you show only a part of the rows.';

/** The note to the model about omitted rows and cells, and how to get them. Equal for a page that is read again. */
function noteOf({ shown, rowCount, code, incomplete }: Page, next: NextStep): string {
  const cut = shown?.cutCells ?? 0;
  const sentences = [
    shown?.fits && code !== null
      ? `${rowCount} of more rows. Continue with ${next.code}, or use export_query for all of them. ${next.tool} takes the code.`
      : '',
    cut > 0
      ? `${cut} ${cut === 1 ? 'cell was' : 'cells were'} cut at 2,000 characters (…); send fullCells: true to read all.`
      : '',
    shown?.fits && shown.isTooLarge ? 'This row alone is larger than a page; send columns to leave long ones out.' : '',
    incomplete === null ? '' : `The last rows of this result will be missing: ${incomplete} ${MISSING_ROWS}`,
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

const note = string('What is missing here and how to get it. Follow it.');
const names = listOf(string('Display name.'), 'Only with shape table.');

/** Fields that are not in every response. */
const withOptional = (schema: JsonSchema, more: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  ...schema,
  properties: { ...schema.properties, ...more },
});

export const pageSchema: JsonSchema = withOptional(objectOf(modelPage), { Columns: names, note, status });

/** For a next page, and for the tools of single queries, of which there may be 40. */
export const nextPageSchema = withoutDescriptions(pageSchema);

export const typedPageSchema = (rows: JsonSchema): JsonSchema => ({
  ...nextPageSchema,
  properties: { ...nextPageSchema.properties, Data: rows },
});

/** A column of a result, with `more` fields. Most columns have no format. */
export function columnSchema(more: Readonly<Record<string, JsonSchema>> = {}): JsonSchema {
  const always = objectOf({
    Name: string('Display column name, a key of the rows.'),
    Type: {
      type: 'string',
      enum: ['categorical', 'numeric'],
      description: 'categorical: for labels and axes; numeric: for values.',
    },
    ...more,
  });
  return { ...always, properties: { ...always.properties, Format: formatSchema } };
}

const formatSchema: JsonSchema = {
  type: 'object',
  description: 'How to show the values to the user; the rows contain them unchanged.',
  properties: {
    kind: {
      type: 'string',
      enum: formatKinds,
      description: 'percent: fractions, 0.25 is 25%; duration: seconds; id: names something, never add it up.',
    },
    currency: string('ISO 4217 code.'),
    decimals: integer('Number of decimals.'),
    unit: string('Unit of the numbers.'),
  },
  required: ['kind'],
};

export const describeColumn = ({ label, class: columnClass, format }: ClassifiedColumn) => ({
  Name: label,
  Type: columnClass,
  ...(format && { Format: format }),
});

export const chartPageSchema: JsonSchema = withOptional(
  objectOf({
    Columns: listOf(columnSchema(), 'The columns in order, each classified for charts.'),
    ...modelPage,
  }),
  { note, status },
);

export const chunkSchema: JsonSchema = withOptional(
  objectOf({
    Data: modelRows,
    chunkIndex: integer('Number of this chunk; the first is 0.'),
    rowsSent: integer('Rows returned so far, including this chunk.'),
    streamToken: stringOrNull('Pass it to resume_stream for the next chunk; null: the stream has ended.'),
  }),
  { Columns: names, note, status },
);

export const nextChunkSchema = withoutDescriptions(chunkSchema);
