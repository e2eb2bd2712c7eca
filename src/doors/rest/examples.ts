import type { Example } from '../http/operation.ts';

/** Calls of the demo catalog, for the OpenAPI document. */
const body = {
  QueryName: 'QD_Best_sellers_Demo',
  Parameters: [
    { ParameterName: '@Top', Value: '2', DataType: 'int' },
    { ParameterName: '@Region', Value: 'North America', DataType: 'nvarchar' },
  ],
};

const rows = [
  {
    Product: 'Stand Mixer Vela',
    Brand: 'Solana',
    Category: 'Electronics',
    Units: 118,
    'Net revenue': 38996.5,
    'Margin rate (%)': 26,
  },
  {
    Product: 'Espresso Machine Hana',
    Brand: 'Brückner & Söhne',
    Category: 'Electronics',
    Units: 96,
    'Net revenue': 35928.2,
    'Margin rate (%)': 24,
  },
];
const page = { Data: rows, RowSize: 1000, NextRowIndex: 2, QueryMoreCode: null };

export const executeExample: Example = { body, response: page };

export const executeChartExample: Example = {
  body,
  response: {
    Columns: [
      { Name: 'Product', Type: 'categorical' },
      { Name: 'Brand', Type: 'categorical' },
      { Name: 'Category', Type: 'categorical' },
      { Name: 'Units', Type: 'numeric' },
      { Name: 'Net revenue', Type: 'numeric' },
      { Name: 'Margin rate (%)', Type: 'numeric' },
    ],
    ...page,
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
