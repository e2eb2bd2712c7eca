import { expect, it } from 'vitest';
import { repeatedNames } from './repeated-names.ts';

it.each([
  ['{"parameters":{"@A":1,"@A":2}}', ['@A']],
  ['{"parameters":{"@A":1,"\\u0040A":2,"@B":"x","@B":null,"@B":3}}', ['@A', '@B']],
  ['{"rowSize":5,"parameters" : { "@A" : "{\\"@A\\":1,", "@a": [1,2] }}', []],
  ['{"parameters":{"@A":{"x":1,"x":2},"@B":{"x":1}}}', []],
  ['{"other":{"@A":1,"@A":2},"parameters":{"@A":1}}', []],
  ['{"parameters":[{"value":1,"value":2}]}', []],
  ['{"parameters":{"__proto__":1,"__proto__":2}}', ['__proto__']],
  ['"x"', []],
])('%s repeats %j', (json, names) => {
  expect(repeatedNames(json, 'parameters')).toEqual(names);
});
