import type { ChartConfig } from '../core/chart-config.ts';
import { type FieldProblem, failed, type Result, succeeded } from '../core/errors.ts';

/** Names of columns ignore case if that is unambiguous. */
export function withColumns(columns: readonly string[], chart: ChartConfig): Result<ChartConfig> {
  const listed = columns.slice(0, 50).join(', ');
  const problems: FieldProblem[] = [];
  const column = (field: 'labelColumn' | 'dataColumn' | 'seriesColumn', sent: string): string => {
    const alike = columns.includes(sent) ? [sent] : columns.filter((each) => each.toLowerCase() === sent.toLowerCase());
    if (alike.length !== 1)
      problems.push({ field, message: `The query has no column ${JSON.stringify(sent)}. It has ${listed}.` });
    return alike[0] ?? sent;
  };
  const named = {
    ...chart,
    labelColumn: column('labelColumn', chart.labelColumn),
    dataColumn: column('dataColumn', chart.dataColumn),
    moreDataColumns: chart.moreDataColumns.map((sent) => column('dataColumn', sent)),
    seriesColumn: chart.seriesColumn === null ? null : column('seriesColumn', chart.seriesColumn),
  };
  return problems.length > 0 ? failed({ kind: 'FieldInvalid', problems }) : succeeded(named);
}
