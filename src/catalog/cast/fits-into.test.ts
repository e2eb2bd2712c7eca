import { expect, it } from 'vitest';
import { parseSqlType } from '../sql-type.ts';
import { fitsInto } from './fits-into.ts';

const fits = (from: string, to: string): boolean => {
  const [one, other] = [parseSqlType(from), parseSqlType(to)];
  if (one === null || other === null) throw new Error(`unknown type: ${from} or ${to}`);
  return fitsInto(one, other);
};

it.each([
  ['varchar(20)', 'nvarchar(50)'],
  ['varchar(20)', 'text'],
  ['binary(8)', 'blob'],
  ['smallint', 'int'],
  ['uint8', 'tinyint'],
  ['int', 'bigint'],
  ['int', 'decimal(12,2)'],
  ['int', 'decimal'],
  ['int', 'double'],
  ['smallint', 'real'],
  ['decimal(10,2)', 'decimal(12,4)'],
  ['decimal(10,2)', 'decimal'],
  ['real', 'double'],
  ['date', 'datetime'],
  ['datetime', 'datetimeoffset'],
  ['uuid', 'uuid'],
])('%s fits into %s', (from, to) => expect(fits(from, to)).toBe(true));

it.each([
  ['nvarchar(50)', 'varchar(20)'],
  ['text', 'nvarchar(50)'],
  ['bigint', 'int'],
  ['int', 'uint32'],
  ['int', 'decimal(8,2)'],
  ['bigint', 'double'],
  ['int', 'real'],
  ['decimal(10,2)', 'decimal(10,4)'],
  ['decimal', 'decimal(38,10)'],
  ['decimal(10,2)', 'double'],
  ['decimal(10,2)', 'int'],
  ['double', 'real'],
  ['double', 'decimal'],
  ['datetime', 'date'],
  ['int', 'text'],
  ['bit', 'int'],
  ['date', 'time'],
])('%s does not fit into %s', (from, to) => expect(fits(from, to)).toBe(false));
