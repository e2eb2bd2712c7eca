import { parquetMetadata, type SchemaElement } from 'hyparquet';
import { expect, test } from 'vitest';
import { publish } from '../../support/queries/publish.ts';
import { admin, startTestService } from '../../support/services/service.ts';

/** Types of DuckDB, with the types in the file that docs/api.md documents. */
const types: readonly (readonly [string, string])[] = [
  ['tinyint', 'INT64'],
  ['int', 'INT64'],
  ['bigint', 'INT64'],
  ['ubigint', 'INT64 UINT_64'],
  ['hugeint', 'FIXED_LEN_BYTE_ARRAY DECIMAL(38,0)'],
  ['uhugeint', 'BYTE_ARRAY STRING'],
  ['decimal(12,2)', 'INT64 DECIMAL(12,2)'],
  ['decimal(30,4)', 'FIXED_LEN_BYTE_ARRAY DECIMAL(30,4)'],
  ['float', 'DOUBLE'],
  ['double', 'DOUBLE'],
  ['boolean', 'BOOLEAN'],
  ['date', 'INT32 DATE'],
  ['timestamp', 'INT64 TIMESTAMP MICROS'],
  ['timestamptz', 'INT64 TIMESTAMP MICROS UTC'],
  ['timestamp_ns', 'INT64 TIMESTAMP NANOS'],
  ['json', 'BYTE_ARRAY JSON'],
  ['int[]', 'BYTE_ARRAY JSON'],
  ['struct(a int)', 'BYTE_ARRAY JSON'],
  ['map(int, int)', 'BYTE_ARRAY JSON'],
  ['blob', 'BYTE_ARRAY'],
  ['varchar', 'BYTE_ARRAY STRING'],
  ['uuid', 'BYTE_ARRAY STRING'],
  ['time', 'BYTE_ARRAY STRING'],
  ['interval', 'BYTE_ARRAY STRING'],
];

test('every column has the type that the documentation names', async () => {
  const service = await startTestService();
  try {
    const columns = types.map(([type], index) => `null::${type} as c${index}`);
    const { queryName } = await publish(service.as(admin), { name: 'Types', sql: `select ${columns.join(', ')}` });
    const credential = Buffer.from(`${admin.username}:${admin.password}`).toString('base64');
    const response = await fetch(`${service.url}/api/v1/Export/ExecuteQuery?format=parquet`, {
      method: 'POST',
      headers: { Authorization: `Basic ${credential}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ QueryName: queryName, Parameters: [] }),
    });
    const [, ...schema] = parquetMetadata(await response.arrayBuffer()).schema;
    expect(schema.map((each, index) => [types[index]?.[0], described(each)])).toEqual(types);
    expect(schema.every(({ repetition_type: repetition }) => repetition === 'OPTIONAL')).toBe(true);
  } finally {
    await service.close();
  }
});

function described({ type, converted_type: converted, logical_type: logical }: SchemaElement): string {
  if (logical === undefined) return [type, ...(converted === undefined ? [] : [converted])].join(' ');
  if (logical.type === 'DECIMAL') return `${type} DECIMAL(${logical.precision},${logical.scale})`;
  if (logical.type === 'TIMESTAMP') return `${type} TIMESTAMP ${logical.unit}${logical.isAdjustedToUTC ? ' UTC' : ''}`;
  return `${type} ${logical.type}`;
}
