import type { Example } from '../http/operation.ts';

/** Calls of the demo catalog, for the OpenAPI document. */
const body = {
  QueryName: 'QD_Best_sellers_Demo',
  Parameters: [
    { ParameterName: '@Top', Value: '2', DataType: 'int' },
    { ParameterName: '@Region', Value: 'North America', DataType: 'nvarchar' },
  ],
};

const labels = ['Product', 'Brand', 'Category', 'Units', 'Net revenue', 'Margin rate'];
const rows = [
  ['Stand Mixer Vela', 'Solana', 'Electronics', 118, 38996.5, 0.26],
  ['Espresso Machine Hana', 'Brückner & Söhne', 'Electronics', 96, 35928.2, 0.24],
].map((cells) => Object.fromEntries(labels.map((label, index) => [label, cells[index]])));
const page = { Data: rows, RowSize: 1000, NextRowIndex: 2, QueryMoreCode: null };

export const executeExample: Example = { body, response: page };

export const executeChartExample: Example = {
  body,
  response: {
    Columns: labels.map((Name, index) => ({ Name, Type: index < 3 ? 'categorical' : 'numeric' })),
    ...page,
  },
};

export const summaryExample: Example = {
  body: {
    QueryName: 'QD_Sales_by_region_Demo',
    Parameters: [],
    labelColumn: 'Region',
    dataColumn: 'Net revenue',
    sortBy: 'value',
    limit: 3,
  },
};

export const shortExample: Example = {
  params: { queryName: body.QueryName },
  body: { parameters: { '@Top': 2, '@Region': 'North America' } },
  response: { data: rows, rowSize: 1000, nextRowIndex: 2, queryMoreCode: null },
};

export const parametersExample: Example = { query: { queryName: body.QueryName } };
export const exportExample: Example = { query: { format: 'csv' }, body };
export const linkExample: Example = { query: { format: 'xlsx', fileName: 'Best sellers' }, body };
