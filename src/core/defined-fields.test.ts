import { expect, test } from 'vitest';
import { definedFields } from './defined-fields.ts';

test('drops undefined fields only', () => {
  const fields: { readonly a: number; readonly b?: string | undefined; readonly c: string | null | undefined } = {
    a: 0,
    b: undefined,
    c: null,
  };
  const defined: { readonly a: number; readonly b?: string; readonly c?: string | null } = definedFields(fields);
  expect(Object.entries(defined)).toEqual([
    ['a', 0],
    ['c', null],
  ]);
});
