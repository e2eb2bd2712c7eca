import type { DemoQuery } from './demo-query.ts';
import { customerQueries } from './queries/customers.ts';
import { deliveryQueries } from './queries/deliveries.ts';
import { orderQueries } from './queries/orders.ts';
import { productQueries } from './queries/products.ts';
import { salesQueries } from './queries/sales.ts';
import { stockQueries } from './queries/stock.ts';

/** What the demo catalog holds: examples for every kind of chart, for lists, details and exports. */
export const demoQueries: readonly DemoQuery[] = [
  ...salesQueries,
  ...productQueries,
  ...customerQueries,
  ...orderQueries,
  ...deliveryQueries,
  ...stockQueries,
];
