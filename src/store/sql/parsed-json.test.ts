import { expect, test } from 'vitest';
import { parsed } from './parsed-json.ts';

test('equal texts share one value, another text has another', () => {
  const text = '{"roles":["a",{"b":1}]}';
  expect(parsed(text)).toEqual({ roles: ['a', { b: 1 }] });
  expect(parsed(text)).toBe(parsed(`${text}`));
  expect(parsed('{"roles":["b"]}')).toEqual({ roles: ['b'] });
});

test('what is shared cannot be changed, at any depth', () => {
  const value = parsed<{ roles: unknown[] }>('{"roles":[["a"]]}');
  expect(() => value.roles.push('c')).toThrow(TypeError);
  expect(Object.isFrozen(value.roles[0])).toBe(true);
});
