import { expect, it } from 'vitest';
import { emptyLabels } from './query-fields.ts';
import { createQuerySearch } from './query-search.ts';
import type { Query } from './query.ts';

// A catalog as a company has it: twenty subjects, fifty queries each, many of them alike.

const subjects: readonly { readonly noun: string; readonly measures: readonly string[]; readonly columns: readonly string[] }[] =
  [
    { noun: 'Sales', measures: ['Revenue', 'Margin', 'Units sold', 'Discounts', 'Returns'], columns: ['Product', 'Amount'] },
    {
      noun: 'Customers',
      measures: ['New accounts', 'Churn', 'Lifetime value', 'Complaints', 'Satisfaction score'],
      columns: ['Email', 'Segment'],
    },
    {
      noun: 'Invoices',
      measures: ['Open amount', 'Overdue days', 'Reminders', 'Credit notes', 'Payment terms'],
      columns: ['DueDate', 'Balance'],
    },
    {
      noun: 'Shipments',
      measures: ['Late deliveries', 'Freight cost', 'Lost parcels', 'Weight', 'Customs delays'],
      columns: ['Carrier', 'TrackingNumber'],
    },
    {
      noun: 'Inventory',
      measures: ['Stock level', 'Stock outs', 'Turnover', 'Expired goods', 'Reorder point'],
      columns: ['Sku', 'Bin'],
    },
    {
      noun: 'Suppliers',
      measures: ['Lead time', 'Defect rate', 'Contract value', 'Price changes', 'Audit findings'],
      columns: ['Vendor', 'Rating'],
    },
    {
      noun: 'Employees',
      measures: ['Headcount', 'Sick leave', 'Overtime hours', 'Hires', 'Resignations'],
      columns: ['Manager', 'HireDate'],
    },
    {
      noun: 'Payroll',
      measures: ['Gross pay', 'Bonuses', 'Tax withheld', 'Pension contributions', 'Expense claims'],
      columns: ['Salary', 'CostCenter'],
    },
    {
      noun: 'Support tickets',
      measures: ['First response time', 'Reopened tickets', 'Backlog', 'Escalations', 'Resolution time'],
      columns: ['Severity', 'Agent'],
    },
    {
      noun: 'Campaigns',
      measures: ['Clicks', 'Conversions', 'Cost per lead', 'Unsubscribes', 'Impressions'],
      columns: ['Channel', 'Spend'],
    },
    {
      noun: 'Website',
      measures: ['Page views', 'Bounce rate', 'Visitors', 'Load time', 'Search terms'],
      columns: ['Url', 'Referrer'],
    },
    {
      noun: 'Subscriptions',
      measures: ['Renewals', 'Cancellations', 'Recurring income', 'Upgrades', 'Trials'],
      columns: ['Plan', 'RenewalDate'],
    },
    {
      noun: 'Payments',
      measures: ['Failed charges', 'Refunds', 'Chargebacks', 'Fees', 'Settlements'],
      columns: ['Card', 'Currency'],
    },
    {
      noun: 'Projects',
      measures: ['Budget used', 'Milestones', 'Hours booked', 'Risks', 'Change requests'],
      columns: ['Owner', 'Deadline'],
    },
    {
      noun: 'Machines',
      measures: ['Downtime', 'Scrap', 'Energy consumption', 'Maintenance jobs', 'Cycle time'],
      columns: ['Line', 'Operator'],
    },
    {
      noun: 'Buildings',
      measures: ['Occupancy', 'Heating cost', 'Repairs', 'Rent', 'Cleaning hours'],
      columns: ['Floor', 'Tenant'],
    },
    { noun: 'Vehicles', measures: ['Mileage', 'Fuel', 'Accidents', 'Leasing cost', 'Inspections'], columns: ['Plate', 'Driver'] },
    {
      noun: 'Courses',
      measures: ['Enrolments', 'Exam results', 'Attendance', 'Certificates', 'Drop outs'],
      columns: ['Teacher', 'Grade'],
    },
    {
      noun: 'Patients',
      measures: ['Admissions', 'Waiting time', 'Readmissions', 'Lab tests', 'Length of stay'],
      columns: ['Ward', 'Diagnosis'],
    },
    {
      noun: 'Loans',
      measures: ['Defaults', 'Interest income', 'Collateral', 'Applications', 'Arrears'],
      columns: ['Branch', 'Rate'],
    },
  ];
const dimensions = [
  'by month',
  'by region',
  'by country',
  'by team',
  'by category',
  'by weekday',
  'top ten',
  'year over year',
  'detail',
  'summary',
];

const catalog: readonly Query[] = subjects.flatMap(({ noun, measures, columns }) =>
  measures.flatMap((measure) => dimensions.map((dimension) => queryOf(noun, measure, dimension, columns))),
);

function queryOf(noun: string, measure: string, dimension: string, columns: readonly string[]): Query {
  const name = `${noun}: ${measure} ${dimension}`;
  const parameters = dimension === 'by region' ? [{ name: '@Region', dataType: 'nvarchar(50)', required: true }] : [];
  const version = {
    queryId: name,
    version: 1,
    definition: { name, databaseId: 'd', sql: '', parameters, columns: [] },
    labels: {
      ...emptyLabels,
      description: `${measure} of ${noun.toLowerCase()}, ${dimension}.`,
      tip: dimension === 'detail' ? 'One line per entry; filter before you export.' : '',
      tags: [noun.toLowerCase()],
    },
    note: '',
    resultColumns: columns.map((column) => ({ name: column, type: 'VARCHAR', kind: 'text' as const })),
    createdAt: 0,
    createdBy: '',
  };
  return {
    id: name,
    queryName: `QD_${name.replaceAll(/[^A-Za-z]+/g, '_')}_Warehouse`,
    nameFixed: true,
    status: 'Active',
    current: version,
    draft: null,
    lastVersion: 1,
    revision: 1,
    createdAt: 0,
    createdBy: '',
    updatedAt: 0,
    updatedBy: '',
  };
}

function rankQueries(search: string, queries: readonly Query[]): readonly Query[] {
  const index = queries === catalog ? whole : indexOf(queries);
  return index.rank(search, () => true).flatMap(({ id }) => queries.find((query) => query.id === id) ?? []);
}

function indexOf(queries: readonly Query[]) {
  const index = createQuerySearch();
  for (const query of queries) index.put(query);
  return index;
}

const whole = indexOf(catalog);

const first = (search: string): string | undefined => rankQueries(search, catalog)[0]?.current.definition.name;

it.each([
  ['How much revenue did we make in each region?', 'Sales: Revenue by region'],
  ['monthly churn of our customers', 'Customers: Churn by month'],
  ['Which invoices are overdue, and for how many days, in detail?', 'Invoices: Overdue days detail'],
  ['late deliveries per country', 'Shipments: Late deliveries by country'],
  ['what ran out of stock by category', 'Inventory: Stock outs by category'],
  ['supplier defect rates year over year', 'Suppliers: Defect rate year over year'],
  ['sick leaves of the teams', 'Employees: Sick leave by team'],
  ['bonusses in payroll, summary', 'Payroll: Bonuses summary'],
  ['reopened support tickets by weekday', 'Support tickets: Reopened tickets by weekday'],
  ['campaigns with the ten top convertions', 'Campaigns: Conversions top ten'],
  ['Show me the visitors of the web site by month', 'Website: Visitors by month'],
  ['cancelled subscriptions by region', 'Subscriptions: Cancellations by region'],
  ['refunded payments by country', 'Payments: Refunds by country'],
  ['project budgets used by team', 'Projects: Budget used by team'],
  ['machine downtimes on which weekday', 'Machines: Downtime by weekday'],
  ['heating costs of buildings by month', 'Buildings: Heating cost by month'],
  ['top 10 fuel consumption of vehicles, top ten', 'Vehicles: Fuel top ten'],
  ['exam result of courses by category', 'Courses: Exam results by category'],
  ['waiting times of patients by month', 'Patients: Waiting time by month'],
  ['QD_Loans_Arrears_summary_Warehouse', 'Loans: Arrears summary'],
])('finds the query for "%s" among 1,000', (question, name) => {
  expect(catalog).toHaveLength(1000);
  expect(first(question)).toBe(name);
});

it('finds queries by a column and by part of a word', () => {
  expect(first('TrackingNumber')).toMatch(/^Shipments/);
  expect(rankQueries('chargeb', catalog)).toHaveLength(10);
  expect(rankQueries('hargebac', catalog)).toHaveLength(10);
});

it('finds a query by its whole name first, and then those that have it in theirs', () => {
  const orders = ['All orders', 'Orders by month', 'Orders'].map((name) => {
    const query = queryOf('Orders', 'Number', 'detail', []);
    return { ...query, id: name, current: { ...query.current, definition: { ...query.current.definition, name } } };
  });
  const found = rankQueries('orders', orders).map(({ id }) => id);
  expect([found[0], found.toSorted()]).toEqual(['Orders', ['All orders', 'Orders', 'Orders by month']]);
});

it('returns nothing for words that no query has, or none at all', () => {
  expect(rankQueries('xylophone', catalog)).toEqual([]);
  expect(rankQueries(' ?! ', catalog)).toEqual([]);
});

it('finds swapped letters, even where the stem is short', () => {
  expect(first('slaes')).toMatch(/^Sales/);
  expect(rankQueries('slxes', catalog)).toEqual([]);
});
