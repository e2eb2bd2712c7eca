import { z } from 'zod';
import { permissions } from '../../access/permission.ts';
import { channels, outcomes } from '../../audit/audit-entry.ts';
import * as charts from '../../core/chart-config.ts';
import { nameSchemas } from './operation.ts';

/** Enumerations of several requests and responses. */
export const channel = z.enum(channels);
export const columnClass = z.enum(['categorical', 'numeric']);
export const outcome = z.enum(outcomes);
export const permission = z.enum(permissions);

export const chartType = z.enum(charts.chartTypes.map(({ type }) => type));
export const legendPosition = z.enum(charts.legendPositions);
export const barOrientation = z.enum(charts.barOrientations);
export const chartTheme = z.enum(charts.chartThemes);
export const aggregate = z.enum(charts.aggregates);
export const sortBy = z.enum(charts.sortings);
export const stacked = z.enum(charts.stackings);

nameSchemas({
  Channel: channel,
  ColumnClass: columnClass,
  Outcome: outcome,
  Permission: permission,
  ChartType: chartType,
  LegendPosition: legendPosition,
  BarOrientation: barOrientation,
  ChartTheme: chartTheme,
  Aggregate: aggregate,
  SortBy: sortBy,
  Stacked: stacked,
});
