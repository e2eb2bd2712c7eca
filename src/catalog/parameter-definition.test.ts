import { expect, test } from 'vitest';
import { checkParameterNames } from './parameter-definition.ts';

test.each(['@Region', '@_x', '@größe2', '@地域', '@हिन्दी'])('accepts %s', (name) => {
  expect(checkParameterNames([{ name }])).toEqual([]);
});

test.each(['Region', '@', '@1a', '@a b', '@a-b', '@a$b', '@@a', ' @a', '@a\n', `@${'a'.repeat(128)}`])('refuses %j', (name) => {
  expect(checkParameterNames([{ name }])).toMatchObject([{ field: 'parameters.0.name' }]);
});

test('accepts names that differ in case only, and rejects duplicates', () => {
  const problems = checkParameterNames([{ name: '@a' }, { name: '@A' }, { name: '@a' }]);
  expect(problems).toEqual([{ field: 'parameters.2.name', message: '@a is declared twice. Remove one of them.' }]);
});
