import { expect, it } from 'vitest';
import { idParams, listQuery, listRequest } from './list-query.ts';

const refusedFields = (query: unknown) => listQuery.safeParse(query).error?.issues.map((issue) => issue.path.join('.'));

it('converts the query string to a request for the store', () => {
  expect(listRequest(listQuery.parse({}))).toEqual({ limit: 50 });
  expect(listRequest(listQuery.parse({ limit: '1000', cursor: 'c', search: 's' }))).toEqual({
    limit: 1000,
    cursor: 'c',
    search: 's',
  });
  expect(listRequest(listQuery.parse({ cursor: '', search: '' }))).toEqual({ limit: 50 });
});

it.each(['0', '1001', '-1', '1.5', 'x', '', ['1', '2']])('rejects the limit %j by name', (limit) => {
  expect(refusedFields({ limit })).toEqual(['limit']);
});

it('rejects repeated fields and NUL characters', () => {
  expect(refusedFields({ search: ['a', 'b'] })).toEqual(['search']);
  expect(refusedFields({ cursor: 'a\0', search: 'a\0' })).toEqual(['cursor', 'search']);
  expect(idParams.parse({ id: 'a\0' }).id).not.toContain('\0');
});
