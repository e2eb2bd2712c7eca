import type { Page } from '../../delivery/use-cases/page.ts';
import { parameterValues, requiredText, whole } from './argument.ts';
import { MAX_PAGE_BYTES, MAX_ROWS } from './rows.ts';
import { rendered, formOf, type Tool, type ToolResponse, tool } from './tool.ts';

interface Declaration extends Omit<Tool, 'call' | 'arguments'> {
  readonly rowSize: string; // advice on the number of rows
  render(page: Page): ToolResponse;
}

/** A tool that runs a query and returns the first page of rows. */
export const pageTool = ({ rowSize: advice, render, ...declared }: Declaration): Tool =>
  tool({
    ...declared,
    arguments: {
      queryName: requiredText('Technical name from list_queries, such as QD_Sales_by_region_Demo; not the display name.'),
      parameters: parameterValues(),
      rowSize: whole(advice, 1, MAX_ROWS),
    },
    call: (parts, call, read) => {
      const form = formOf(read, ({ queryName, parameters = [], rowSize = Math.min(parts.rowsDefault(), MAX_ROWS) }) => ({
        queryName,
        parameters,
        rowSize,
        maxPageBytes: MAX_PAGE_BYTES,
      }));
      return rendered(parts.deliverPage(call, form), render);
    },
  });
