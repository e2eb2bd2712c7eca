import type { DemoQuery } from '../demo-query.ts';
import { euros, percent } from './formats.ts';
import { category, from, region, to } from './parameters.ts';

export const productQueries: readonly DemoQuery[] = [
  {
    name: 'Best sellers',
    description:
      'The products with the highest net revenue in a period, best first. One row is one product. Net revenue is in EUR, after discounts, without cancelled orders and returned pieces; Units are pieces sold and kept; Margin rate is the share of Net revenue that remains after purchase cost.',
    tip: 'Bar chart, horizontal: label Product, data Net revenue.',
    sql: `SELECT product, brand, category, sum(quantity) FILTER (NOT returned)::BIGINT AS units, sum(net_revenue) AS net_revenue,
       round(sum(margin) / sum(net_revenue), 3) AS margin_rate
FROM sales
WHERE (@From IS NULL OR ordered_at >= @From)
  AND (@To IS NULL OR order_date <= @To)
  AND (@Category IS NULL OR category = @Category)
  AND (@Region IS NULL OR region = @Region)
GROUP BY product_id, product, brand, category
HAVING sum(net_revenue) > 0
ORDER BY net_revenue DESC, product_id
LIMIT greatest(coalesce(@Top, 20), 1)`,
    parameters: [
      {
        name: '@Top',
        label: 'Number of products',
        dataType: 'int',
        required: false,
        default: '20',
        description: 'Number of products to return, at least 1.',
      },
      from,
      to,
      category,
      region,
    ],
    columns: [
      { name: 'product', displayName: 'Product' },
      { name: 'brand', displayName: 'Brand' },
      { name: 'category', displayName: 'Category' },
      { name: 'units', displayName: 'Units' },
      { name: 'net_revenue', displayName: 'Net revenue', format: euros },
      { name: 'margin_rate', displayName: 'Margin rate', format: percent },
    ],
    chart: { type: 'bar', label: 'Product', data: ['Net revenue'], sortBy: 'value', options: { barOrientation: 'horizontal' } },
    tags: ['products', 'bar chart'],
    aiAccess: true,
    cacheSeconds: 300,
  },
  {
    name: 'Price and demand',
    description:
      'List price and pieces sold of every product in a period, cheapest first. One row is one product. Price is the list price of 2025 in EUR; Units are pieces sold and kept. Shows how demand falls as prices rise, and which products stand out.',
    tip: 'Scatter chart: label Price, data Units.',
    sql: `SELECT p.name AS product, p.category, p.price, sum(s.quantity) FILTER (NOT s.returned)::BIGINT AS units
FROM sales s
JOIN products p USING (product_id)
WHERE (@From IS NULL OR s.ordered_at >= @From)
  AND (@To IS NULL OR s.order_date <= @To)
  AND (@Category IS NULL OR p.category = @Category)
  AND (@MaxPrice IS NULL OR p.price <= @MaxPrice)
GROUP BY p.product_id, p.name, p.category, p.price
ORDER BY p.price, p.product_id`,
    parameters: [
      from,
      to,
      category,
      {
        name: '@MaxPrice',
        label: 'Price up to',
        dataType: 'decimal(12,2)',
        required: false,
        default: '250.00',
        description: 'Leaves out products with a higher list price, in EUR.',
      },
    ],
    columns: [
      { name: 'product', displayName: 'Product' },
      { name: 'category', displayName: 'Category' },
      { name: 'price', displayName: 'Price', format: euros },
      { name: 'units', displayName: 'Units' },
    ],
    chart: { type: 'scatter', label: 'Price', data: ['Units'] },
    tags: ['products', 'scatter chart'],
    aiAccess: true,
    cacheSeconds: 300,
  },
  {
    name: 'Assortment',
    description:
      'Net revenue per subcategory in a period, highest first. One row is one subcategory with its category and the number of its products that sold. Net revenue is in EUR, after discounts, without cancelled orders and returned pieces.',
    tip: 'Treemap: label Subcategory, data Net revenue.',
    sql: `SELECT subcategory, category, count(DISTINCT product_id) AS products, sum(net_revenue) AS net_revenue
FROM sales
WHERE (@From IS NULL OR ordered_at >= @From)
  AND (@To IS NULL OR order_date <= @To)
  AND (@Category IS NULL OR category = @Category)
GROUP BY subcategory, category
ORDER BY net_revenue DESC`,
    parameters: [from, to, category],
    columns: [
      { name: 'subcategory', displayName: 'Subcategory' },
      { name: 'category', displayName: 'Category' },
      { name: 'products', displayName: 'Products' },
      { name: 'net_revenue', displayName: 'Net revenue', format: euros },
    ],
    chart: { type: 'treemap', label: 'Subcategory', data: ['Net revenue'] },
    tags: ['products', 'treemap'],
    aiAccess: true,
    cacheSeconds: 300,
  },
  {
    name: 'Ratings by category',
    description:
      'What customers think of the products of each category, in a period. One row is one category. Stars is the average rating from 1 (bad) to 5 (good); Ratings is the number of ratings; Return rate is the share of order lines that were returned.',
    tip: 'Radar chart: label Category, data Stars or Return rate.',
    sql: `SELECT category, round(avg(rating), 2) AS stars, count(rating) AS ratings, round(avg(returned::INTEGER), 3) AS return_rate
FROM sales
WHERE (@From IS NULL OR ordered_at >= @From)
  AND (@To IS NULL OR order_date <= @To)
  AND (@Region IS NULL OR region = @Region)
GROUP BY category
ORDER BY category`,
    parameters: [from, to, region],
    columns: [
      { name: 'category', displayName: 'Category' },
      { name: 'stars', displayName: 'Stars', format: { kind: 'number', decimals: 2 } },
      { name: 'ratings', displayName: 'Ratings' },
      { name: 'return_rate', displayName: 'Return rate', format: percent },
    ],
    chart: { type: 'radar', label: 'Category', data: ['Stars'], aggregate: 'average' },
    tags: ['products', 'quality', 'radar chart'],
    aiAccess: true,
    cacheSeconds: 300,
  },
];
