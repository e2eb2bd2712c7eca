import { formatKinds } from '../../core/column-format.ts';
import type { ChartPage } from '../../pipeline/use-cases/chart-page.ts';
import type { Page } from '../../pipeline/use-cases/page.ts';
import type { Chunk } from '../../pipeline/use-cases/stream.ts';
import type { ClassifiedColumn } from '../../results/columns.ts';
import { bodyOf, chartResponse, type PageResponse, pageResponse } from '../rest/page-format.ts';
import { integer, type JsonSchema, listOf, objectOf, string, stringOrNull } from '../wire/json-schema.ts';
import { modelPage, modelRows } from '../wire/page-fields.ts';
import { runningChart, runningChunk, runningPage, withRunning } from './running.ts';
import type { ToolResponse } from './tool.ts';

/** The size that a model can still process: a page ends here, with at least one row. */
export const MAX_PAGE_BYTES = 512 << 10;
export const MAX_ROWS = 1000;

export const pageOf = (page: Page): ToolResponse =>
  page.isRunning ? runningPage(page) : { json: bodyOf(withNote(pageResponse(page), page)) };

/** The picture follows the text; the chart App reads from `_meta` what it shows. */
export function chartPageOf({ page, drawn }: ChartPage): ToolResponse {
  if (page.isRunning) return runningChart(page);
  const json = bodyOf(withNote(chartResponse(page, describeColumn), page));
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
  return { json: bodyOf(withNote({ head: '{"Data":[', rows: page.rows, ownsRows: page.ownsRows, tail }, page)) };
}

/** For a model whose result lacks its last rows. */
export const MISSING_ROWS = 'Files are exported with export_query. Tell the user if you show only a part of the rows.';

/** Tells the model that the last rows will be missing. */
function withNote(response: PageResponse, { incomplete }: Page): PageResponse {
  if (incomplete === null) return response;
  const note = `The last rows of this result will be missing: ${incomplete} ${MISSING_ROWS}`;
  return { ...response, tail: `${response.tail.slice(0, -1)},"note":${JSON.stringify(note)}}` };
}

export const pageSchema: JsonSchema = withRunning(objectOf(modelPage));

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

export const chartPageSchema: JsonSchema = withRunning(
  objectOf({
    Columns: listOf(columnSchema(), 'The columns in order, each classified for charts.'),
    ...modelPage,
  }),
);

export const chunkSchema: JsonSchema = withRunning(
  objectOf({
    Data: modelRows,
    chunkIndex: integer('Number of this chunk; the first is 0.'),
    rowsSent: integer('Rows returned so far, including this chunk.'),
    streamToken: stringOrNull('Pass it to resume_stream for the next chunk; null: the stream has ended.'),
  }),
);
