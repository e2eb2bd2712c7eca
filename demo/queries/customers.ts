import type { ParameterDefinition } from '../../src/catalog/query.ts';
import type { DemoQuery } from '../demo-query.ts';
import { euros, id } from './formats.ts';
import { from, segment, to } from './parameters.ts';

const anyCountry: ParameterDefinition = {
  name: '@Country',
  label: 'Country',
  dataType: 'nvarchar(50)',
  required: false,
  description: 'Country in English, such as Germany or Japan; leave empty for all countries.',
};

/** A country, chosen from those of the customer list. */
const country: ParameterDefinition = { ...anyCountry, choices: { query: 'Customers', value: 'Country' } };

export const customerQueries: readonly DemoQuery[] = [
  {
    name: 'Customers',
    description:
      'The customer list, by customer number. One row is one customer with name, e-mail (null if unknown), city, country, segment, sign-up date and whether the customer has the loyalty card. Without filters the result has all customers, about 8,500: page through it, or search.',
    tip: 'Search finds parts of names and e-mail addresses, with or without accents: "muller" finds Müller.',
    sql: `SELECT customer_id, name, email, city, country, segment, signup_date, loyalty_member
FROM customers
WHERE (@Search IS NULL
       OR contains(lower(strip_accents(name)), lower(strip_accents(@Search)))
       OR contains(email, lower(@Search)))
  AND (@Country IS NULL OR country = @Country)
  AND (@Segment IS NULL OR segment = @Segment)
  AND (@LoyaltyMember IS NULL OR loyalty_member = @LoyaltyMember)
ORDER BY customer_id`,
    parameters: [
      {
        name: '@Search',
        label: 'Name or e-mail',
        dataType: 'nvarchar(100)',
        required: false,
        description: 'Part of a name or of an e-mail address; case and accents of names are ignored.',
      },
      anyCountry,
      segment,
      {
        name: '@LoyaltyMember',
        label: 'Loyalty card',
        dataType: 'bit',
        required: false,
        description: 'Yes: only customers with the loyalty card. No: only customers without it. Leave empty for both.',
      },
    ],
    columns: [
      { name: 'customer_id', displayName: 'Customer', type: 'categorical', format: id },
      { name: 'name', displayName: 'Name' },
      { name: 'email', displayName: 'E-mail' },
      { name: 'city', displayName: 'City' },
      { name: 'country', displayName: 'Country' },
      { name: 'segment', displayName: 'Segment' },
      { name: 'signup_date', displayName: 'Signed up' },
      { name: 'loyalty_member', displayName: 'Loyalty card' },
    ],
    tags: ['customers', 'list'],
    aiAccess: true,
  },
  {
    name: 'Top customers',
    description:
      'Customers who spent at least an amount in a period, highest first. One row is one customer. Net revenue is in EUR, after discounts, without cancelled orders and returned pieces; Last order is the day of the latest order within the period.',
    tip: 'Raise Minimum spent to see only the best customers.',
    sql: `SELECT c.customer_id, c.name, c.country, c.segment, count(DISTINCT s.order_id) AS orders,
       sum(s.net_revenue) AS net_revenue, max(s.order_date) AS last_order
FROM sales s
JOIN customers c USING (customer_id)
WHERE (@From IS NULL OR s.ordered_at >= @From)
  AND (@To IS NULL OR s.order_date <= @To)
  AND (@Segment IS NULL OR c.segment = @Segment)
  AND (@Country IS NULL OR c.country = @Country)
  AND (@City IS NULL OR c.city = @City)
GROUP BY c.customer_id, c.name, c.country, c.segment
HAVING sum(s.net_revenue) >= @MinimumSpent
ORDER BY net_revenue DESC, c.customer_id`,
    parameters: [
      {
        name: '@MinimumSpent',
        label: 'Spent at least',
        dataType: 'decimal(12,2)',
        required: true,
        default: '2500.00',
        description: 'Minimum net revenue of the customer in the period, in EUR.',
      },
      { ...from, default: 'year-start-10y', description: 'First day (inclusive), as a date or relative to today.' },
      { ...to, default: 'today' },
      segment,
      country,
      {
        name: '@City',
        label: 'City',
        dataType: 'nvarchar(50)',
        required: false,
        description: 'City of the customer, from the chosen country.',
        choices: { query: 'Customers', value: 'City', parameters: { '@Country': '@Country' } },
      },
    ],
    columns: [
      { name: 'customer_id', displayName: 'Customer', type: 'categorical', format: id },
      { name: 'name', displayName: 'Name' },
      { name: 'country', displayName: 'Country' },
      { name: 'segment', displayName: 'Segment' },
      { name: 'orders', displayName: 'Orders' },
      { name: 'net_revenue', displayName: 'Net revenue', format: euros },
      { name: 'last_order', displayName: 'Last order' },
    ],
    tags: ['customers'],
    aiAccess: true,
    cacheSeconds: 300,
  },
  {
    name: 'Customer growth',
    description:
      'Sign-ups per month since 2018, oldest first. One row is one month, dated by its first day. New customers signed up in that month; Customers is the number of all customers at its end.',
    tip: 'Area chart: label Month, data Customers.',
    sql: `SELECT month, new_customers, customers
FROM (SELECT date_trunc('month', signup_date)::DATE AS month, count(*) AS new_customers,
             (sum(count(*)) OVER (ORDER BY date_trunc('month', signup_date)))::BIGINT AS customers
      FROM customers
      WHERE (@Country IS NULL OR country = @Country)
      GROUP BY date_trunc('month', signup_date)) months
WHERE (@Since IS NULL OR month >= @Since)
ORDER BY month`,
    parameters: [
      country,
      {
        name: '@Since',
        label: 'Customer since',
        dataType: 'date',
        required: false,
        default: 'year-start-10y',
        description: 'First month to show, as a date or relative to today, such as year-start-5y.',
      },
    ],
    columns: [
      { name: 'month', displayName: 'Month' },
      { name: 'new_customers', displayName: 'New customers' },
      { name: 'customers', displayName: 'Customers' },
    ],
    chart: { type: 'area', label: 'Month', data: ['Customers'], aggregate: 'max' }, // a running total
    tags: ['customers', 'trend', 'area chart'],
    aiAccess: true,
    cacheSeconds: 300,
  },
];
