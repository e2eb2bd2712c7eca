import { expect, it } from 'vitest';
import { z } from 'zod';
import { parseInput } from './parse-input.ts';

const schema = z.object({
  name: z.string().min(1),
  parameters: z
    .array(z.object({ name: z.string() }).transform((each) => each))
    .nullish()
    .transform((each) => each),
  size: z.number().optional(),
});

it('returns the value', () => {
  expect(parseInput(schema, { name: 'a', size: 1 })).toEqual({ ok: true, value: { name: 'a', size: 1 } });
});

it('reports a single missing field by its path', () => {
  const missing = (field: string) => ({
    kind: 'FieldMissing',
    problems: [{ field, message: `The field ${field} is required.` }],
  });
  expect(parseInput(schema, {})).toMatchObject({ ok: false, failure: missing('name') });
  expect(parseInput(schema, { name: 'a', parameters: [{ name: 'x' }, {}] })).toMatchObject({
    ok: false,
    failure: missing('parameters.1.name'),
  });
});

it('reports all problems at once, each as a sentence', () => {
  const result = parseInput(schema, { name: 1, size: 'x', sise: 2 });
  if (result.ok || result.failure.kind !== 'FieldUnknown') throw new Error('not refused');
  expect(result.failure.problems.map((problem) => problem.field)).toEqual(['sise', 'name', 'size']);
  for (const { message } of result.failure.problems) expect(message).toMatch(/[^.][.?]$/);
});

it.each([[null], [[]], ['text'], [1]])('rejects %j under the field name body', (value) => {
  expect(parseInput(schema, value)).toMatchObject({ failure: { kind: 'FieldInvalid', problems: [{ field: 'body' }] } });
});

it.each([
  [{}, 'of', 'Expected a text or a number or a list.'],
  [true, 'of', 'Expected a text or a number or a list.'],
  [['a', {}], 'of.1', 'Expected a text or a number.'],
])('says what a field of several types expects: %j', (of, field, message) => {
  const scalar = z.union([z.string(), z.number()]);
  const several = z.object({ of: z.union([scalar, z.array(scalar)]) });
  expect(parseInput(several, { of })).toMatchObject({ failure: { kind: 'FieldInvalid', problems: [{ field, message }] } });
});

it('keeps the message of a schema of several types', () => {
  const several = z.object({ of: z.union([z.number(), z.literal('never')], 'Expected a number of days, or never.') });
  expect(parseInput(several, { of: 'x' })).toMatchObject({
    failure: { problems: [{ message: 'Expected a number of days, or never.' }] },
  });
});

it('treats null as an invalid value, not as a missing one', () => {
  expect(parseInput(schema, { name: null })).toMatchObject({ failure: { kind: 'FieldInvalid', problems: [{ field: 'name' }] } });
});

it('matches names in any case, at every depth', () => {
  expect(parseInput(schema, { NAME: 'a', Parameters: [{ Name: 'x' }] })).toEqual({
    ok: true,
    value: { name: 'a', parameters: [{ name: 'x' }] },
  });
  expect(parseInput(schema, { name: 'a', Name: 'b' })).toMatchObject({
    failure: { kind: 'FieldInvalid', problems: [{ field: 'Name' }] },
  });
});

it('refuses unknown names at every depth, and does not also report what they resemble as missing', () => {
  expect(parseInput(schema, { nmae: 'a', parameters: [{ nam: 'x' }] })).toMatchObject({
    failure: {
      kind: 'FieldUnknown',
      problems: [
        { field: 'nmae', message: 'There is no field "nmae" here. Did you mean "name"?' },
        { field: 'parameters.0.nam', message: 'There is no field "nam" here. Did you mean "name"?' },
      ],
    },
  });
  expect(parseInput(schema, JSON.parse('{"name":"a","__proto__":1}'))).toMatchObject({
    failure: { problems: [{ field: '__proto__' }] },
  });
});

it('keeps further members of a loose object, as they are spelled', () => {
  const loose = z.object({ key: z.looseObject({ kty: z.string() }) });
  const key = { KTY: 'EC', x5c: ['a'], 'x5t#S256': 'b' };
  expect(parseInput(loose, { key })).toEqual({ ok: true, value: { key: { kty: 'EC', x5c: ['a'], 'x5t#S256': 'b' } } });
  expect(parseInput(loose, { key, other: 1 })).toMatchObject({ failure: { problems: [{ field: 'other' }] } });
});

it('names every alternative of a union, or the problem inside the one that fits', () => {
  const text = z.object({ default: z.union([z.string(), z.array(z.string())]).nullish() });
  const problemOf = (value: unknown) => {
    const result = parseInput(text, { default: value });
    return !result.ok && 'problems' in result.failure ? result.failure.problems : result;
  };
  expect(problemOf(5)).toMatchObject([{ field: 'default', message: 'Expected a text or a list.' }]);
  expect(problemOf(['a', 5, 6])).toMatchObject([
    { field: 'default.1', message: 'Expected a text.' },
    { field: 'default.2', message: 'Expected a text.' },
  ]);
});

it('ignores the case of words, also of a single one beside other types', () => {
  const days = z.object({ days: z.union([z.number(), z.literal('never'), z.null()]) });
  expect(parseInput(days, { days: 'NEVER' })).toEqual({ ok: true, value: { days: 'never' } });
});

it('ignores the read-only fields of a resource that is written back', () => {
  const resource = z.object({ id: z.string(), name: z.string() });
  expect(parseInput(schema, { id: 'x', name: 'a' }, resource)).toEqual({ ok: true, value: { name: 'a' } });
  expect(parseInput(schema, { idd: 'x', name: 'a' }, resource)).toMatchObject({ ok: false });
  expect(parseInput(schema, { name: 'a', parameters: [{ name: 'x', id: 'y' }] }, resource)).toMatchObject({ ok: false });
});
