import type { Page } from '../../pipeline/use-cases/page.ts';
import { string } from '../wire/json-schema.ts';
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

const nextPage = { tool: 'execute_query_next_page', field: 'queryMoreCode' } as const;

const pageFields = ({ rowSize, nextRowIndex, code }: Page) => ({
  Data: [],
  RowSize: rowSize,
  NextRowIndex: nextRowIndex,
  QueryMoreCode: code,
});

function runningResponse({ code }: Page, fields: object, next: Omit<RunningCall, 'code'>): ToolResponse {
  const { tool, field } = next;
  const more = tool === 'execute_chart_query' ? ' and the same chart arguments' : '';
  const note = `The query is still running; these rows are not there yet. Call ${tool} with this code as ${field}${more}: it waits for the same run. Do not start the query again. It is cancelled if nobody asks for a minute.`;
  return { json: JSON.stringify({ ...fields, status: 'running', note }), running: { ...next, code: code ?? '' } };
}

/** Only such a response has it. */
export const status = string('running: there are no rows yet.');
