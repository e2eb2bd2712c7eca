import { expect, it } from 'vitest';
import { mainThreadMs } from '../../test/support/faults/thread-time.ts';
import { findClosestName, suggestName } from './closest-name.ts';

const names = ['queryName', 'parameters', 'rowSize', 'rowIndex', 'queryMoreCode'];

it.each([
  ['params', 'parameters'],
  ['parameter', 'parameters'],
  ['qureyName', 'queryName'],
  ['QUERY_NAME', 'queryName'],
  ['row-sizes', 'rowSize'],
  ['pageSize', 'rowSize'],
  ['moreCode', 'queryMoreCode'],
  ['code', 'queryMoreCode'],
  ['size', 'rowSize'],
  ['Name', 'queryName'],
  ['@Regoin', '@Region', ['@Region', '@Reason']],
])('finds what %s was meant to be: %s', (sent, closest, known = names) => {
  expect(findClosestName(sent, known)).toBe(closest);
  expect(suggestName(closest, known)).toBe(`Did you mean "${closest}"?`);
});

it.each(['x', '', 'verbose', 'timeoutSeconds'])('finds nothing like %j and lists the known names', (sent) => {
  expect(findClosestName(sent, names)).toBeUndefined();
  expect(suggestName(undefined, names)).toBe(`Known here: ${names.join(', ')}.`);
});

it('compares only the beginning of long names', () => {
  const before = mainThreadMs(process.pid);
  expect(findClosestName('x'.repeat(1_000_000), ['y'.repeat(1_000_000)])).toBeUndefined();
  expect(mainThreadMs(process.pid) - before).toBeLessThan(5_000); // comparing all of it would take hours
});

it('finds the first of the names with the fewest edits, and none with more than half of the letters changed', () => {
  expect(findClosestName('abcd', ['wxyz', 'abxy', 'abcx', 'abcz', 'axcd'])).toBe('abcx');
  expect(findClosestName('abcd', ['abyz'])).toBe('abyz');
  expect(findClosestName('abcd', ['axyz'])).toBeUndefined();
});
