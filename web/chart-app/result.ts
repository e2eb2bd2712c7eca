import type { ChartColumn, ChartRow } from '../../src/charts/built-chart.ts';
import { chartSettings } from '../../src/charts/suggest-chart.ts';
import { type ChartData, emptyData } from '../../src/charts/summary/chart-data.ts';
import { type ChartConfig, chartConfigDefaults } from '../../src/core/chart-config.ts';
import { type ColumnFormat, formatKinds } from '../../src/core/column-format.ts';
import { isRecord } from './host.ts';

/** What a result of execute_chart_query, or of the next page, has for a chart. */
export interface Result {
  readonly columns: readonly ChartColumn[];
  readonly rows: readonly ChartRow[];
  readonly code: string | null; // of the next page
  readonly data: ChartData | null; // collected from all rows for `config`
  readonly config: ChartConfig | null; // that of the picture, or a suggestion; null: the rows are a list
}

/** Null if it is an error or of another tool. */
export function readResult(params: Readonly<Record<string, unknown>>): Result | null {
  const content = readStructured(params);
  if (params.isError === true || content === null || !Array.isArray(content.Data)) return null;
  const names = Array.isArray(content.Columns) ? content.Columns.map((column) => (isRecord(column) ? column.Name : column)) : [];
  const rows = content.Data.map((row) => toRow(row, names)).filter(isRecord);
  const meta = isRecord(params._meta) ? params._meta['sluice/chart'] : undefined;
  const drawn = isRecord(meta) ? meta : {};
  const columns = columnsOf(Array.isArray(drawn.columns) ? drawn.columns : content.Columns, rows);
  const suggested = chartSettings(null, columns, rows);
  const base = suggested ?? { ...chartConfigDefaults, chartType: 'bar' as const, labelColumn: '', dataColumn: '' };
  return {
    columns,
    rows,
    code: typeof content.QueryMoreCode === 'string' ? content.QueryMoreCode : null,
    data: isRecord(drawn.data) && Array.isArray(drawn.data.rows) ? { ...emptyData, ...drawn.data } : null, // as the server wrote it
    config: isRecord(drawn.config) ? { ...base, ...drawn.config } : suggested, // as the server wrote it
  };
}

/** A table has a list of cells for each row. */
const toRow = (row: unknown, names: readonly unknown[]): unknown =>
  Array.isArray(row) ? Object.fromEntries(names.map((name, index) => [String(name), row[index]])) : row;

/** Some hosts pass the text only. */
function readStructured({
  structuredContent,
  content,
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | null {
  if (isRecord(structuredContent)) return structuredContent;
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  if (!isRecord(first) || typeof first.text !== 'string') return null;
  try {
    const parsed: unknown = JSON.parse(first.text);
    return isRecord(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

function columnsOf(sent: unknown, rows: readonly ChartRow[]): readonly ChartColumn[] {
  if (!Array.isArray(sent)) return [];
  return sent.filter(isRecord).map(({ Name, Type, Format, name = Name, class: sentClass = Type, nature, format = Format }) => {
    const columnClass = sentClass === 'numeric' ? 'numeric' : 'categorical';
    const known = natures.find((each) => each === nature);
    const isId = isFormat(format) && format.kind === 'id';
    return {
      name: String(name),
      class: columnClass,
      nature: isId ? 'id' : (known ?? natureOf(String(name), columnClass, rows)),
      ...(isFormat(format) && { format }),
    };
  });
}

/** As the server wrote it. */
const isFormat = (sent: unknown): sent is ColumnFormat => isRecord(sent) && formatKinds.some((kind) => kind === sent.kind);

const natures = ['number', 'time', 'text', 'boolean', 'id'] as const;

function natureOf(name: string, columnClass: 'numeric' | 'categorical', rows: readonly ChartRow[]): (typeof natures)[number] {
  if (columnClass === 'numeric') return 'number';
  const values = rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined);
  if (values.length > 0 && values.every((value) => typeof value === 'boolean')) return 'boolean';
  const isTime = values.length > 0 && values.every((value) => typeof value === 'string' && /^\d{4}-\d\d-\d\d(T|$)/.test(value));
  return isTime ? 'time' : 'text';
}
