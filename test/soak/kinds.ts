import {
  sendBadKey,
  chartData,
  createAndRevokeEmbed,
  exportFile,
  id,
  createAndRevokeKey,
  LEFT,
  disconnect,
  disconnectExport,
  followLink,
  look,
  managementRead,
  region,
  rows,
  run,
  signInAndOut,
  tool,
  walk,
} from './calls.ts';
import type { SoakService } from './service.ts';

/** One kind of call: its weight in percent, the accepted statuses, and the call itself. */
export interface Kind {
  readonly name: string;
  readonly weight: number;
  readonly expected: readonly number[];
  readonly waits?: true; // sleeps in the database, so that it does not measure capacity
  call(service: SoakService, turn: number): Promise<number>;
}

export const kinds: readonly Kind[] = [
  { name: 'one row, PostgreSQL', weight: 36, expected: [200], call: (on, turn) => run(on, turn, 'QD_one_Sales', id(turn)) },
  { name: 'one row, SQLite', weight: 5, expected: [200], call: (on, turn) => run(on, turn, 'QD_one_Stock', id(turn)) },
  { name: 'twelve rows, DuckDB', weight: 6, expected: [200], call: (on, turn) => run(on, turn, 'QD_items_Demo') },
  { name: 'shared result', weight: 4, expected: [200], call: (on, turn) => run(on, turn, 'QD_shared_Sales') },
  { name: '1000 rows', weight: 10, expected: [200], call: (on, turn) => run(on, turn, 'QD_page_Sales', region(turn)) },
  {
    name: 'walk of 10 pages, PostgreSQL',
    weight: 1,
    expected: [200],
    call: (on, turn) => walk(on, turn, 'QD_rows_Sales', rows(10_000)),
  },
  {
    name: 'walk of 10 pages, DuckDB',
    weight: 0.5,
    expected: [200],
    call: (on, turn) => walk(on, turn, 'QD_many_Demo', rows(10_000)),
  },
  { name: 'walk of 20 pages, SQLite', weight: 0.5, expected: [200], call: (on, turn) => walk(on, turn, 'QD_all_Stock') },
  { name: 'first page of many', weight: 1, expected: [200], call: (on, turn) => run(on, turn, 'QD_rows_Sales', rows(5000)) },
  { name: 'chart data', weight: 5, expected: [200], call: chartData },
  { name: 'export', weight: 1.5, expected: [200], call: exportFile },
  { name: 'export by link', weight: 0.3, expected: [200], call: followLink },
  { name: 'embed page', weight: 3, expected: [200], call: (on, turn) => look(on, turn, 'RenderByToken', '') },
  { name: 'embed picture, SVG', weight: 2, expected: [200], call: (on, turn) => look(on, turn, 'RenderImage', '&format=svg') },
  { name: 'embed picture, PNG', weight: 1, expected: [200], call: (on, turn) => look(on, turn, 'RenderImage', '&format=png') },
  {
    name: 'MCP, one row',
    weight: 5,
    expected: [200],
    call: (on, turn) => tool(on, turn, 'execute_query', { queryName: 'QD_one_Sales', parameters: id(turn) }),
  },
  {
    name: 'MCP, 1000 rows',
    weight: 1,
    expected: [200],
    call: (on, turn) => tool(on, turn, 'execute_query', { queryName: 'QD_page_Sales', parameters: region(turn), rowSize: 1000 }),
  },
  { name: 'MCP, list of queries', weight: 1, expected: [200], call: (on, turn) => tool(on, turn, 'list_queries', {}) },
  { name: 'management read', weight: 4, expected: [200], call: managementRead },
  {
    name: 'bad parameter',
    weight: 4,
    expected: [400],
    call: (on, turn) => run(on, turn, 'QD_one_Sales', [{ ParameterName: '@Id', Value: 'many' }]),
  },
  { name: 'unknown query', weight: 2, expected: [403], call: (on, turn) => run(on, turn, `QD_none_${turn % 100}_Sales`) },
  { name: 'bad key', weight: 3, expected: [401], call: sendBadKey },
  { name: 'timed out', weight: 0.2, expected: [500], waits: true, call: (on, turn) => run(on, turn, 'QD_late_Sales') },
  { name: 'aborted while it ran', weight: 0.5, expected: [LEFT], waits: true, call: disconnect },
  { name: 'aborted in mid-export', weight: 0.3, expected: [LEFT], call: disconnectExport },
  { name: 'key made and revoked', weight: 0.2, expected: [204], call: createAndRevokeKey },
  { name: 'embed made and revoked', weight: 0.3, expected: [204], call: createAndRevokeEmbed },
  { name: 'signed in and out', weight: 0.2, expected: [204], call: signInAndOut },
];
