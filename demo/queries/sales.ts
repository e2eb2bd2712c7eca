import type { DemoQuery } from '../demo-query.ts';
import { euros, percent } from './formats.ts';
import { category, channel, from, region, to, year } from './parameters.ts';

export const salesQueries: readonly DemoQuery[] = [
  {
    name: 'Sales by region',
    description:
      'Net revenue per sales region in a period, highest first. One row is one region. Net revenue is in EUR, after discounts, without cancelled orders and returned pieces; Margin is Net revenue less purchase cost, in EUR; Orders counts orders.',
    tip: 'Bar chart: label Region, data Net revenue.',
    sql: `SELECT region, sum(net_revenue) AS net_revenue, sum(margin) AS margin, count(DISTINCT order_id) AS orders
FROM sales
WHERE (@From IS NULL OR ordered_at >= @From)
  AND (@To IS NULL OR order_date <= @To)
  AND (@Channel IS NULL OR channel = @Channel)
  AND (@Category IS NULL OR category = @Category)
GROUP BY region
ORDER BY net_revenue DESC`,
    parameters: [from, to, channel, category],
    columns: [
      { name: 'region', displayName: 'Region' },
      { name: 'net_revenue', displayName: 'Net revenue', format: euros },
      { name: 'margin', displayName: 'Margin', format: euros },
      { name: 'orders', displayName: 'Orders' },
    ],
    chart: { type: 'bar', label: 'Region', data: ['Net revenue'] },
    tags: ['sales', 'bar chart'],
    aiAccess: true,
    cacheSeconds: 300,
  },
  {
    name: 'Sales by month',
    description:
      'Net revenue per calendar month, oldest first. One row is one month, dated by its first day. Net revenue is in EUR, after discounts, without cancelled orders and returned pieces. Use it for trends and comparisons of years.',
    tip: 'Line chart: label Month, data Net revenue. A heatmap of the same columns lays out months by years.',
    sql: `SELECT date_trunc('month', ordered_at)::DATE AS month, sum(net_revenue) AS net_revenue, count(DISTINCT order_id) AS orders
FROM sales
WHERE (@Region IS NULL OR region = @Region)
  AND (@Category IS NULL OR category = @Category)
  AND (@Channel IS NULL OR channel = @Channel)
GROUP BY month
ORDER BY month`,
    parameters: [region, category, channel],
    columns: [
      { name: 'month', displayName: 'Month' },
      { name: 'net_revenue', displayName: 'Net revenue', format: euros },
      { name: 'orders', displayName: 'Orders' },
    ],
    chart: { type: 'line', label: 'Month', data: ['Net revenue'] },
    tags: ['sales', 'trend', 'line chart'],
    aiAccess: true,
    cacheSeconds: 300,
  },
  {
    name: 'Sales by day',
    description:
      'Orders and net revenue for each day of one year, oldest first. One row is one day. Net revenue is in EUR, after discounts, without cancelled orders and returned pieces. Shows weekends, the November sales and days with problems.',
    tip: 'Heatmap: label Day, data Orders gives a calendar of the year.',
    sql: `SELECT order_date AS day, count(DISTINCT order_id) AS orders, sum(net_revenue) AS net_revenue
FROM sales
WHERE year(order_date) = coalesce(@Year, 2025)
  AND (@Region IS NULL OR region = @Region)
  AND (@Channel IS NULL OR channel = @Channel)
GROUP BY day
ORDER BY day`,
    parameters: [year, region, channel],
    columns: [
      { name: 'day', displayName: 'Day' },
      { name: 'orders', displayName: 'Orders' },
      { name: 'net_revenue', displayName: 'Net revenue', format: euros },
    ],
    chart: { type: 'heatmap', label: 'Day', data: ['Orders'] },
    tags: ['sales', 'trend', 'heatmap'],
    aiAccess: true,
    cacheSeconds: 300,
  },
  {
    name: 'Sales by category',
    description:
      'Net revenue per product category in a period, highest first. One row is one category. Net revenue is in EUR, after discounts, without cancelled orders and returned pieces; Units are pieces sold and kept.',
    tip: 'Pie chart: label Category, data Net revenue.',
    sql: `SELECT category, sum(net_revenue) AS net_revenue, sum(quantity) FILTER (NOT returned)::BIGINT AS units
FROM sales
WHERE (@From IS NULL OR ordered_at >= @From)
  AND (@To IS NULL OR order_date <= @To)
  AND (@Region IS NULL OR region = @Region)
GROUP BY category
ORDER BY net_revenue DESC`,
    parameters: [from, to, region],
    columns: [
      { name: 'category', displayName: 'Category' },
      { name: 'net_revenue', displayName: 'Net revenue', format: euros },
      { name: 'units', displayName: 'Units' },
    ],
    chart: { type: 'pie', label: 'Category', data: ['Net revenue'] },
    tags: ['sales', 'products', 'pie chart'],
    aiAccess: true,
    cacheSeconds: 300,
  },
  {
    name: 'Sales by channel',
    description:
      'Orders and net revenue per sales channel (Web, Store, Phone) in a period. One row is one channel. Net revenue is in EUR, after discounts, without cancelled orders and returned pieces; Average order is Net revenue per order in EUR.',
    tip: 'Doughnut chart: label Channel, data Net revenue.',
    sql: `SELECT channel, sum(net_revenue) AS net_revenue, count(DISTINCT order_id) AS orders,
       (sum(net_revenue) / count(DISTINCT order_id))::DECIMAL(12,2) AS average_order
FROM sales
WHERE (@From IS NULL OR ordered_at >= @From)
  AND (@To IS NULL OR order_date <= @To)
  AND (@Region IS NULL OR region = @Region)
GROUP BY channel
ORDER BY net_revenue DESC`,
    parameters: [from, to, region],
    columns: [
      { name: 'channel', displayName: 'Channel' },
      { name: 'net_revenue', displayName: 'Net revenue', format: euros },
      { name: 'orders', displayName: 'Orders' },
      { name: 'average_order', displayName: 'Average order', format: euros },
    ],
    chart: { type: 'donut', label: 'Channel', data: ['Net revenue'] },
    tags: ['sales', 'doughnut chart'],
    aiAccess: true,
    cacheSeconds: 300,
  },
  {
    name: 'Orders by weekday',
    description:
      'Orders per day of the week in a period, Monday first. One row is one weekday. Cancelled orders are not counted. Share is the fraction of all orders.',
    tip: 'Polar area chart: label Weekday, data Orders.',
    sql: `SELECT dayname(ordered_at) AS weekday, count(*) AS orders, round(count(*) / sum(count(*)) OVER (), 3) AS share
FROM orders
WHERE status <> 'Cancelled'
  AND (@From IS NULL OR ordered_at >= @From)
  AND (@To IS NULL OR ordered_at::DATE <= @To)
  AND (@Channel IS NULL OR channel = @Channel)
GROUP BY weekday, isodow(ordered_at)
ORDER BY isodow(ordered_at)`,
    parameters: [from, to, channel],
    columns: [
      { name: 'weekday', displayName: 'Weekday' },
      { name: 'orders', displayName: 'Orders' },
      { name: 'share', displayName: 'Share', format: percent },
    ],
    chart: { type: 'polarArea', label: 'Weekday', data: ['Orders'] },
    tags: ['orders', 'polar area chart'],
    aiAccess: true,
    cacheSeconds: 300,
  },
];
