import { z } from 'zod';
import { permissions } from '../../access/permission.ts';
import { channels, outcomes } from '../../audit/audit-entry.ts';
import * as charts from '../../catalog/chart-fields.ts';
import { nameSchemas } from './operation.ts';

/** Enumerations of several requests and responses. */
export const channel = z.enum(channels);
export const outcome = z.enum(outcomes);
export const permission = z.enum(permissions);

nameSchemas({
  Channel: channel,
  ColumnClass: charts.columnClass,
  Outcome: outcome,
  Permission: permission,
  ChartType: charts.chartType,
  LegendPosition: charts.legendPosition,
  BarOrientation: charts.barOrientation,
  ChartTheme: charts.chartTheme,
  Aggregate: charts.aggregate,
  SortBy: charts.sortBy,
  Stacked: charts.stacked,
});
