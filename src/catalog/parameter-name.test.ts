import { expect, test } from 'vitest';
import { checkParameterNames, isParameterName } from './parameter-name.ts';

test.each(['@Region', '@_x', '@größe2', '@地域', '@हिन्दी'])('takes %s', (name) => {
  expect(isParameterName(name)).toBe(true);
});

test.each(['Region', '@', '@1a', '@a b', '@a-b', '@a$b', '@@a', ' @a', '@a\n', `@${'a'.repeat(128)}`])('refuses %j', (name) => {
  expect(isParameterName(name)).toBe(false);
});

test('takes names that differ in case for two, and the same name twice for a mistake', () => {
  const problems = checkParameterNames([{ name: '@a' }, { name: '@A' }, { name: '@a' }]);
  expect(problems).toEqual([{ field: 'parameters.2.name', message: '@a is declared twice. Remove one of them.' }]);
});
