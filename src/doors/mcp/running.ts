import type { Page } from '../../pipeline/use-cases/page.ts';
import { modelExportLink } from '../wire/export-fields.ts';
import { type JsonSchema, string } from '../wire/json-schema.ts';
import type { RunningCall, ToolResponse } from './tool.ts';

/** The responses for rows that are not there yet, in the form of the tool that was called. */
export const runningPage = (page: Page): ToolResponse => runningResponse(page, pageFields(page), nextPage);

export const runningChart = (page: Page): ToolResponse =>
  runningResponse(page, { Columns: [], ...pageFields(page) }, { tool: 'execute_chart_query', field: 'queryMoreCode' });

export const runningChunk = (page: Page, chunkIndex: number): ToolResponse =>
  runningResponse(
    page,
    { Data: [], chunkIndex, rowsSent: page.nextRowIndex, streamToken: page.code },
    { tool: 'resume_stream', field: 'streamToken' },
  );

export const runningExport = (code: string): ToolResponse =>
  runningResponse({ code }, { QueryMoreCode: code }, { tool: 'export_query', field: 'queryMoreCode' });

const nextPage = { tool: 'execute_query_next_page', field: 'queryMoreCode' } as const;

const pageFields = ({ rowSize, nextRowIndex, code }: Page) => ({
  Data: [],
  RowSize: rowSize,
  NextRowIndex: nextRowIndex,
  QueryMoreCode: code,
});

function runningResponse({ code }: Pick<Page, 'code'>, fields: object, next: Omit<RunningCall, 'code'>): ToolResponse {
  const { tool, field } = next;
  const [what, more] = missing[tool];
  const note = `The query is still running; ${what} not there yet. Call ${tool} with this code as ${field}${more}: it waits for the same run. Do not start the query again. It is cancelled if nobody asks for a minute.`;
  return { json: JSON.stringify({ ...fields, status: 'running', note }), running: { ...next, code: code ?? '' } };
}

const rows = ['these rows are', ''] as const;
/** What is not there yet, and which arguments are sent again with the code. */
const missing = {
  execute_query_next_page: rows,
  resume_stream: rows,
  execute_chart_query: ['these rows are', ' and the same chart arguments'],
  export_query: ['the file is', ' and the same format'],
} as const;

/** Only the response of a call that is still running has it. */
export const status = string('running: there is nothing yet; follow note.');

export const exportSchema: JsonSchema = {
  ...modelExportLink,
  properties: {
    ...modelExportLink.properties,
    QueryMoreCode: string('Only while it is running.'),
    status,
    note: string('Follow it.'),
  },
  required: [],
};
