import { expect, test } from 'vitest';
import { definedFields, filledFields } from './defined-fields.ts';

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

test('drops fields that are undefined, null or empty', () => {
  const fields: { readonly a: number; readonly b: string; readonly c: null; readonly d?: string } = { a: 0, b: '', c: null };
  const filled: { readonly a?: number; readonly b?: string; readonly d?: string } = filledFields(fields);
  expect(filled).toEqual({ a: 0 });
});
