import { Box, Table } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import type { ChartColumn, ChartRow } from '../../src/charts/built-chart.ts';
import { keysOf } from '../../src/charts/summary/chart-data.ts';
import { tableText } from '../../src/charts/table-text.ts';
import type { ChartConfig } from '../../src/core/chart-config.ts';
import { bringIntoView } from '../components/bring-into-view.ts';

const MAX_ROWS = 500;

export interface ChartTableProps {
  readonly columns: readonly ChartColumn[];
  readonly rows: readonly ChartRow[];
  readonly config: ChartConfig;
  readonly isShown: boolean;
}

/** The data of the chart. If hidden, it is still available to screen readers. */
export function ChartTable({ columns, rows, config, isShown }: ChartTableProps) {
  const names = keysOf(config);
  const columnOf = (name: string) => columns.find((column) => column.name === name);
  const alignOf = (name: string) => (columnOf(name)?.class === 'categorical' ? 'left' : 'right');
  const shown = rows.slice(0, MAX_ROWS).map((row, at) => ({ at, row })); // the index is the only key of a row
  const part =
    shown.length < rows.length
      ? `, the first ${shown.length.toLocaleString('en')} of ${rows.length.toLocaleString('en')} rows`
      : '';
  const caption = `${config.title.trim() === '' ? 'Chart' : config.title}: data${part}`;
  const table = (
    <Table stickyHeader={isShown} aria-label={caption}>
      <Table.Caption>{caption}</Table.Caption>
      <Table.Thead>
        <Table.Tr>
          {names.map((name) => (
            <Table.Th key={name} scope="col" ta={alignOf(name)} dir="auto">
              {name}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {shown.map(({ at, row }) => (
          <Table.Tr key={at}>
            {names.map((name) => (
              <Table.Td key={name} ta={alignOf(name)} className="tabular" dir="auto">
                {tableText(row[name], columnOf(name), config)}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
  if (!isShown) return <div className="visually-hidden">{table}</div>;
  return <Shown>{table}</Shown>;
}

function Shown({ children }: { readonly children: ReactNode }) {
  const container = useRef<HTMLElement>(null);
  useEffect(() => bringIntoView(container.current), []);
  return (
    // a scrollable region must be focusable
    <Box component="section" ref={container} className="chart-data" aria-label="Chart data" tabIndex={0}>
      {children}
    </Box>
  );
}
