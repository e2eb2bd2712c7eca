import type { DemoQuery } from '../demo-query.ts';
import { id } from './formats.ts';

export const stockQueries: readonly DemoQuery[] = [
  {
    name: 'Stock of a day',
    description:
      'Stock per store and product at the close of one day, scarcest first. One row is one product in one store. On hand and On order are pieces; a store orders more once On hand is at or below Reorder point. Covers the forty products with the most demand, from 2025-07-01 to 2025-12-31.',
    tip: 'With Below reorder point on 1 this is the list of what must be ordered.',
    sql: `SELECT s.name AS store, s.country, p.sku, p.name AS product, d.on_hand, d.reorder_point, d.on_order
FROM daily_stock d
JOIN stores s USING (store_id)
JOIN products p USING (product_id)
WHERE d.stock_date = @Day
  AND (@Store IS NULL OR s.name = @Store)
  AND (@BelowReorderPoint IS NOT TRUE OR d.on_hand <= d.reorder_point)
ORDER BY d.on_hand - d.reorder_point, s.name, p.sku`,
    parameters: [
      {
        name: '@Day',
        label: 'Day',
        dataType: 'date',
        required: true,
        default: '2025-12-31',
        description: 'Day of the stock, from 2025-07-01 to 2025-12-31.',
      },
      {
        name: '@Store',
        label: 'Store',
        dataType: 'nvarchar(50)',
        required: false,
        description: 'Name of a store, such as Berlin Mitte; leave it out for all stores.',
      },
      {
        name: '@BelowReorderPoint',
        label: 'Only below the reorder point',
        dataType: 'bit',
        required: false,
        default: '1',
        description: 'Yes (1): only what is at or below its reorder point, no (0): everything.',
      },
    ],
    columns: [
      { name: 'store', displayName: 'Store' },
      { name: 'country', displayName: 'Country' },
      { name: 'sku', displayName: 'SKU', format: id },
      { name: 'product', displayName: 'Product' },
      { name: 'on_hand', displayName: 'On hand' },
      { name: 'reorder_point', displayName: 'Reorder point' },
      { name: 'on_order', displayName: 'On order' },
    ],
    tags: ['stock', 'list'],
    aiAccess: true,
  },
  {
    name: 'Stock over time',
    description:
      'Pieces on hand at the close of each day in one store, oldest first, all stocked products together or one of them. One row is one day, from 2025-07-01 to 2025-12-31. Products out of stock counts products with nothing left.',
    tip: 'Area chart: label Day, data On hand.',
    sql: `SELECT d.stock_date AS day, sum(d.on_hand)::BIGINT AS on_hand, sum(d.on_order)::BIGINT AS on_order,
       count(*) FILTER (d.on_hand = 0) AS out_of_stock
FROM daily_stock d
JOIN stores s USING (store_id)
JOIN products p USING (product_id)
WHERE s.name = @Store
  AND (@Sku IS NULL OR p.sku = @Sku)
GROUP BY d.stock_date
ORDER BY day`,
    parameters: [
      {
        name: '@Store',
        label: 'Store',
        dataType: 'nvarchar(50)',
        required: true,
        default: 'Berlin Mitte',
        description: 'Name of the store.',
      },
      {
        name: '@Sku',
        label: 'Product number (SKU)',
        dataType: 'varchar(20)',
        required: false,
        description: 'SKU of one product, as "Stock of a day" shows it; leave it out for all.',
      },
    ],
    columns: [
      { name: 'day', displayName: 'Day' },
      { name: 'on_hand', displayName: 'On hand' },
      { name: 'on_order', displayName: 'On order' },
      { name: 'out_of_stock', displayName: 'Products out of stock' },
    ],
    chart: { type: 'area', label: 'Day', data: ['On hand'] },
    tags: ['stock', 'trend', 'area chart'],
    aiAccess: true,
  },
];
