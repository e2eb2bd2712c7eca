import { type ChartType, chartTypes } from '../../../src/core/chart-config.ts';
import { onPhone, type PictureCase, picture, type Table } from './picture-case.ts';
import { attainment, calendar, days, depots, load, people, prices, products, regions, scores, stock } from './tables.ts';

/** Each chart type with typical data. */
export const typical: readonly PictureCase[] = [
  picture('bar', 'bar', regions, { title: 'Revenue by region', showDataLabels: true }),
  picture('line', 'line', days, { title: 'Orders per day' }),
  picture('area', 'area', days, { title: 'Orders per day' }),
  picture('scatter', 'scatter', prices, { title: 'Price and units sold' }),
  picture('pie', 'pie', regions, { title: 'Revenue by region', showDataLabels: true, legendPosition: 'right' }),
  picture('donut', 'donut', regions, { title: 'Revenue by region', legendPosition: 'right' }),
  picture('polar-area', 'polarArea', regions, { title: 'Revenue by region', legendPosition: 'right' }),
  picture('radar', 'radar', scores, { title: 'Data quality scores' }),
  picture('radial-bar', 'radialBar', attainment, { title: 'SLO attainment by service' }),
  picture('heatmap', 'heatmap', calendar, { title: 'Orders per day' }),
  picture('treemap', 'treemap', products, { title: 'Sales by product' }),
  picture('box-plot', 'boxPlot', depots, { title: 'Delivery time by depot' }),
];

export const phones: readonly PictureCase[] = typical.map(onPhone);

export const oneRow: readonly PictureCase[] = chartTypes.map(({ type }) =>
  picture(`one-row-${type}`, type, { ...regions, rows: regions.rows.slice(0, 1) }, { title: 'One row' }),
);

const largeTables: Readonly<Partial<Record<ChartType, Table>>> = { line: load, area: load, scatter: people };

export const large: readonly PictureCase[] = chartTypes.map(({ type }) =>
  picture(`5000-rows-${type}`, type, largeTables[type] ?? stock, { title: '5,000 rows' }),
);
