import { isNumeric } from './grid-column.ts';
import type { ArrangedViewProps } from './result-grid-props.ts';

const MAX_ROWS = 5000;

/** The loaded rows on paper, as they are arranged: the grid has only the rows on the screen. */
export function PrintTable({ label, rows, totalRows = null, arranged }: ArrangedViewProps) {
  const { columns, order, formatOf } = arranged;
  const printed = order.slice(0, MAX_ROWS);
  const classOf = (column: (typeof columns)[number]) => (isNumeric(column) ? 'right' : undefined);
  return (
    <>
      <table className="print-table" aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.label} scope="col" className={classOf(column)} dir="auto">
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {printed.map((index) => (
            <tr key={index}>
              {columns.map((column) => (
                <td key={column.label} className={classOf(column)} dir="auto">
                  {formatOf(column)(rows[index]?.[column.label]).text}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {printed.length !== totalRows && (
        <p>
          {printed.length.toLocaleString('en')} {totalRows === null ? 'rows' : `of ${totalRows.toLocaleString('en')} rows`} are
          printed.
        </p>
      )}
    </>
  );
}
