import type { ParameterDefinition } from '../../src/catalog/query.ts';
import type { DemoQuery } from '../demo-query.ts';
import { euros, id, percent } from './formats.ts';
import { category } from './parameters.ts';

const orderNumber: ParameterDefinition = {
  name: '@OrderNumber',
  label: 'Order number',
  dataType: 'int',
  required: true,
  default: '181359',
  description: 'Order number, from 100001. Later orders have higher numbers.',
};

export const orderQueries: readonly DemoQuery[] = [
  {
    name: 'Order',
    description:
      'One order by its number: when, by whom, in which store or channel, its status, delivery days and amount. One row, or none if the number is unknown. Amount is in EUR after discounts, including returned items.',
    tip: 'See Order detail for its lines.',
    sql: `SELECT o.order_id, o.ordered_at, c.name AS customer, s.name AS store, o.channel, o.status, o.promised_on, o.delivered_on,
       (SELECT sum(l.net_amount) FROM order_lines l WHERE l.order_id = o.order_id) AS amount
FROM orders o
JOIN customers c USING (customer_id)
JOIN stores s USING (store_id)
WHERE o.order_id = @OrderNumber`,
    parameters: [orderNumber],
    columns: [
      { name: 'order_id', displayName: 'Order', type: 'categorical', format: id },
      { name: 'ordered_at', displayName: 'Ordered at' },
      { name: 'customer', displayName: 'Customer' },
      { name: 'store', displayName: 'Store' },
      { name: 'channel', displayName: 'Channel' },
      { name: 'status', displayName: 'Status' },
      { name: 'promised_on', displayName: 'Promised on' },
      { name: 'delivered_on', displayName: 'Delivered on' },
      { name: 'amount', displayName: 'Amount', format: euros },
    ],
    tags: ['orders', 'detail'],
    aiAccess: true,
  },
  {
    name: 'Order detail',
    description:
      'The lines of one order. One row is one product of the order with quantity, unit price and net amount in EUR, discount as a fraction, and whether it was returned.',
    tip: 'Take the order number from "Order lines" or from a receipt.',
    sql: `SELECT l.line_number, p.sku, p.name AS product, l.quantity, l.unit_price, l.discount, l.net_amount, l.returned
FROM order_lines l
JOIN products p USING (product_id)
WHERE l.order_id = @OrderNumber
ORDER BY l.line_number`,
    parameters: [orderNumber],
    columns: [
      { name: 'line_number', displayName: 'Line', type: 'categorical', format: id },
      { name: 'sku', displayName: 'SKU', format: id },
      { name: 'product', displayName: 'Product' },
      { name: 'quantity', displayName: 'Quantity' },
      { name: 'unit_price', displayName: 'Unit price', format: euros },
      { name: 'discount', displayName: 'Discount', format: percent },
      { name: 'net_amount', displayName: 'Net amount', format: euros },
      { name: 'returned', displayName: 'Returned' },
    ],
    tags: ['orders', 'detail'],
    aiAccess: true,
  },
  {
    name: 'Order lines',
    description:
      'Every line of every order, oldest first: about 270,000 rows without filters, for exports and for analysis elsewhere. One row is one product of one order. Unit price and Net amount are in EUR, Discount is a fraction; lines of cancelled orders are included, see Status. Prefer a summary such as "Sales by month" where totals are enough.',
    tip: 'Large: export it as Parquet or CSV, or narrow the days.',
    sql: `SELECT o.order_id, l.line_number, o.ordered_at, o.channel, o.status, s.region, s.name AS store, o.customer_id,
       p.sku, p.name AS product, p.category, l.quantity, l.unit_price, l.discount, l.net_amount, l.returned, l.rating
FROM order_lines l
JOIN orders o USING (order_id)
JOIN stores s USING (store_id)
JOIN products p USING (product_id)
WHERE (@From IS NULL OR o.ordered_at >= @From)
  AND (@To IS NULL OR o.ordered_at::DATE <= @To)
  AND (@Category IS NULL OR p.category = @Category)
ORDER BY o.order_id, l.line_number`,
    parameters: [
      {
        name: '@From',
        label: 'From',
        dataType: 'date',
        required: false,
        description: 'First day. Default: 2022-01-01.',
      },
      {
        name: '@To',
        label: 'To',
        dataType: 'date',
        required: false,
        description: 'Last day (inclusive). Default: 2025-12-31.',
      },
      category,
    ],
    columns: [
      { name: 'order_id', displayName: 'Order', type: 'categorical', format: id },
      { name: 'line_number', displayName: 'Line', type: 'categorical', format: id },
      { name: 'ordered_at', displayName: 'Ordered at' },
      { name: 'channel', displayName: 'Channel' },
      { name: 'status', displayName: 'Status' },
      { name: 'region', displayName: 'Region' },
      { name: 'store', displayName: 'Store' },
      { name: 'customer_id', displayName: 'Customer', type: 'categorical', format: id },
      { name: 'sku', displayName: 'SKU', format: id },
      { name: 'product', displayName: 'Product' },
      { name: 'category', displayName: 'Category' },
      { name: 'quantity', displayName: 'Quantity' },
      { name: 'unit_price', displayName: 'Unit price', format: euros },
      { name: 'discount', displayName: 'Discount', format: percent },
      { name: 'net_amount', displayName: 'Net amount', format: euros },
      { name: 'returned', displayName: 'Returned' },
      { name: 'rating', displayName: 'Rating' },
    ],
    tags: ['orders', 'large', 'export'],
    aiAccess: true,
  },
];
