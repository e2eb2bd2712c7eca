import { Table, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { ChartContent } from '../chart/interactive-chart.ts';
import { LazyChart } from '../chart/lazy-chart.tsx';
import type { LastResult } from '../components/run/last-results.ts';
import { Time } from '../components/time.tsx';
import { cellFormat } from '../grid/cell-format.ts';
import { type GridColumn, isNumeric } from '../grid/grid-column.ts';
import classes from './home.module.css';

const MAX_COLUMNS = 3;
const MAX_CHARACTERS = 60; // of a cell, which shows fewer
const CHART_HEIGHT = 220;

export interface LastResultViewProps {
  readonly name: string; // of the query
  readonly result: LastResult;
  readonly isOfLastRun: boolean; // otherwise it says when it was received
}

/** A result that the browser still has: its chart if it was drawn, otherwise its first rows. */
export function LastResultView({ name, result, isOfLastRun }: LastResultViewProps) {
  return (
    <>
      {!isOfLastRun && (
        <Text size="xs" c="dimmed">
          Result from <Time at={new Date(result.receivedAt).toISOString()} as="relative" />:
        </Text>
      )}
      {result.chart === null ? <FirstRows name={name} result={result} /> : <SmallChart content={result.chart} />}
    </>
  );
}

function SmallChart({ content: { columns, data, config } }: { readonly content: ChartContent }) {
  const small = useMemo(
    () => ({
      ...config,
      title: '',
      chartHeight: CHART_HEIGHT,
      showToolbar: false,
      showDataLabels: false,
      enableZoom: false,
      enableAnimations: false,
    }),
    [config],
  );
  return (
    // horizontal bars grow with their number
    <div className={classes.chart}>
      <LazyChart columns={columns} data={data} config={small} />
    </div>
  );
}

function FirstRows({ name, result: { columns, rows, totalRows } }: { readonly name: string; readonly result: LastResult }) {
  const shown = useMemo(
    () => selectColumns(columns).map((column) => ({ ...column, toCell: cellFormat(column, rows) })),
    [columns, rows],
  );
  if (rows.length === 0 || shown.length === 0) return null;
  const textWidth = `${100 / shown.filter((column) => !isNumeric(column)).length}%`; // of what the numbers leave
  return (
    <div className={classes.rows}>
      <Table fz="xs" verticalSpacing={3} horizontalSpacing={6} aria-label={`Last result of ${name}`}>
        <Table.Thead>
          <Table.Tr>
            {shown.map((column) => (
              <Table.Th key={column.label} scope="col" {...styleOf(column)} w={isNumeric(column) ? 'auto' : textWidth} dir="auto">
                {column.label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody className="tabular">
          {rows.map((row, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- the index is the only key of a row
            <Table.Tr key={at}>
              {shown.map(({ toCell, ...column }) => {
                const { text, nature } = toCell(row[column.label]);
                return (
                  <Table.Td key={column.label} {...styleOf(column)} {...(nature === 'null' ? { c: 'dimmed' } : {})} dir="auto">
                    {text.slice(0, MAX_CHARACTERS)}
                  </Table.Td>
                );
              })}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="xs" c="dimmed" mt={4}>
        {partText(rows.length, totalRows, shown.length, columns.length)}
      </Text>
    </div>
  );
}

/** The first column, which mostly names the row, and the first numbers. */
function selectColumns([first, ...others]: readonly GridColumn[]): readonly GridColumn[] {
  if (first === undefined) return [];
  const isMeasure = (column: GridColumn): boolean =>
    column.class === undefined ? isNumeric(column) : column.class === 'numeric';
  return [first, ...others.toSorted((a, b) => Number(isMeasure(b)) - Number(isMeasure(a)))].slice(0, MAX_COLUMNS);
}

/** A text may be cut, a number never. */
const styleOf = (column: GridColumn) =>
  isNumeric(column)
    ? ({ className: classes.number ?? '', ta: 'right' } as const)
    : ({ className: classes.text ?? '', ta: 'left' } as const);

/** `First 5 of 120 rows, 3 of 6 columns`; empty if everything is shown. */
function partText(rows: number, totalRows: number | null, columns: number, totalColumns: number): string {
  const ofRows =
    totalRows === null ? `First ${rows} rows` : rows < totalRows ? `First ${rows} of ${totalRows.toLocaleString('en')} rows` : '';
  const ofColumns = columns < totalColumns ? `${columns} of ${totalColumns} columns` : '';
  return [ofRows, ofColumns].filter((part) => part !== '').join(', ');
}
