import type { DemoQuery } from '../demo-query.ts';
import { id, percent } from './formats.ts';
import { from, region, to } from './parameters.ts';

export const deliveryQueries: readonly DemoQuery[] = [
  {
    name: 'On-time deliveries',
    description:
      'How many web and phone orders of a period arrived no later than promised, per sales region, best first. One row is one region. On-time rate is the share of delivered orders that were on time; Average days is the time from order to delivery.',
    tip: 'Radial bar chart: label Region, data On-time rate.',
    sql: `SELECT s.region, round(avg((o.delivered_on <= o.promised_on)::INTEGER), 3) AS on_time_rate,
       round(avg(o.delivered_on - o.ordered_at::DATE), 1) AS average_days, count(*) AS deliveries
FROM orders o
JOIN stores s USING (store_id)
WHERE o.delivered_on IS NOT NULL
  AND (@From IS NULL OR o.ordered_at >= @From)
  AND (@To IS NULL OR o.ordered_at::DATE <= @To)
GROUP BY s.region
ORDER BY on_time_rate DESC`,
    parameters: [from, to],
    columns: [
      { name: 'region', displayName: 'Region' },
      { name: 'on_time_rate', displayName: 'On-time rate', format: percent },
      { name: 'average_days', displayName: 'Average days', format: { kind: 'number', decimals: 1, unit: 'days' } },
      { name: 'deliveries', displayName: 'Deliveries' },
    ],
    chart: { type: 'radialBar', label: 'Region', data: ['On-time rate'], aggregate: 'average' },
    tags: ['deliveries', 'quality', 'radial bar chart'],
    aiAccess: true,
    cacheSeconds: 300,
  },
  {
    name: 'Delivery times',
    description:
      'Delivery times of single web and phone orders, as a sample of equal size for each region. One row is one delivered order; Days counts the days from order to delivery. The sample is the same at every call. For averages of all orders use "On-time deliveries".',
    tip: 'Box plot: label Region, data Days.',
    sql: `SELECT s.region, o.order_id, o.delivered_on - o.ordered_at::DATE AS days
FROM orders o
JOIN stores s USING (store_id)
WHERE o.delivered_on IS NOT NULL
  AND (@From IS NULL OR o.ordered_at >= @From)
  AND (@To IS NULL OR o.ordered_at::DATE <= @To)
  AND (@Region IS NULL OR s.region = @Region)
QUALIFY row_number() OVER (PARTITION BY s.region ORDER BY hash(o.order_id), o.order_id) <= coalesce(@OrdersPerRegion, 150)
ORDER BY s.region, o.order_id`,
    parameters: [
      from,
      to,
      region,
      {
        name: '@OrdersPerRegion',
        label: 'Orders per region',
        dataType: 'int',
        required: false,
        default: '150',
        description: 'Number of orders in the sample of each region.',
      },
    ],
    columns: [
      { name: 'region', displayName: 'Region' },
      { name: 'order_id', displayName: 'Order', type: 'categorical', format: id },
      { name: 'days', displayName: 'Days', format: { kind: 'number', unit: 'days' } },
    ],
    chart: { type: 'boxPlot', label: 'Region', data: ['Days'] },
    tags: ['deliveries', 'box plot'],
    aiAccess: true,
    cacheSeconds: 300,
  },
];
