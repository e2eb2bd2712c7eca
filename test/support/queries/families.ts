import type { Caller } from '../services/service.ts';
import { publish } from './publish.ts';

/** An optional parameter of every family. */
export const families = {
  '@Text': 'nvarchar(max)',
  '@Short': 'nvarchar(5)',
  '@Tiny': 'tinyint',
  '@Int': 'int',
  '@Big': 'bigint',
  '@Decimal': 'decimal(12,2)',
  '@Wide': 'decimal(38,0)',
  '@Float': 'float',
  '@Bit': 'bit',
  '@Date': 'date',
  '@Datetime': 'datetime',
  '@Offset': 'datetimeoffset',
  '@Time': 'time',
  '@Uuid': 'uniqueidentifier',
  '@Json': 'json',
  '@Binary': 'varbinary(4)',
} as const;

export type FamilyName = keyof typeof families;
export const familyNames = Object.keys(families) as FamilyName[];

/** A query that returns each parameter in a column of the same name. */
export const publishFamilies = (author: Caller) =>
  publish(author, {
    name: 'Families',
    sql: `select ${familyNames.map((name) => `${name} as "${name}"`).join(', ')}`,
    parameters: familyNames.map((name) => ({ name, dataType: families[name], required: false })),
  });
