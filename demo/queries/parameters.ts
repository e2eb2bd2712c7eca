import type { ParameterDefinition } from '../../src/catalog/query.ts';

export const from: ParameterDefinition = {
  name: '@From',
  label: 'From',
  dataType: 'date',
  required: false,
  default: '2025-01-01',
  description: 'First day (inclusive). Orders run from 2022-01-01 to 2025-12-31.',
};

export const to: ParameterDefinition = {
  name: '@To',
  label: 'To',
  dataType: 'date',
  required: false,
  default: '2025-12-31',
  description: 'Last day (inclusive).',
};

export const region: ParameterDefinition = {
  name: '@Region',
  label: 'Sales region',
  dataType: 'nvarchar(50)',
  required: false,
  description: 'Sales region of the store; leave it out for all regions.',
  values: ['Asia & Middle East', 'Central Europe', 'North America', 'Northern Europe', 'Southern Europe', 'Western Europe'],
};

export const category: ParameterDefinition = {
  name: '@Category',
  label: 'Category',
  dataType: 'nvarchar(50)',
  required: false,
  description: 'Product category; leave it out for all categories.',
  values: ['Electronics', 'Furniture', 'Garden', 'Kitchen', 'Lighting', 'Sports & Outdoor', 'Textiles', 'Toys & Games'],
};

export const channel: ParameterDefinition = {
  name: '@Channel',
  label: 'Channel',
  dataType: 'nvarchar(10)',
  required: false,
  description: 'How the order was placed; leave it out for all channels.',
  values: ['Web', 'Store', 'Phone'],
};

export const segment: ParameterDefinition = {
  name: '@Segment',
  label: 'Customer segment',
  dataType: 'nvarchar(20)',
  required: false,
  description: 'Kind of customer; leave it out for all segments.',
  values: ['Consumer', 'Small business', 'Corporate'],
};

export const year: ParameterDefinition = {
  name: '@Year',
  label: 'Year',
  dataType: 'int',
  required: false,
  default: '2025',
  description: 'Calendar year of the orders.',
  values: ['2022', '2023', '2024', '2025'],
};
