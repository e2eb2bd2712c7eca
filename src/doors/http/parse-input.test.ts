import { expect, it } from 'vitest';
import { z } from 'zod';
import { parseInput } from './parse-input.ts';

const schema = z.strictObject({
  name: z.string().min(1),
  parameters: z.array(z.object({ name: z.string() })).optional(),
  size: z.number().optional(),
});

it('returns the value', () => {
  expect(parseInput(schema, { name: 'a', size: 1 })).toEqual({ ok: true, value: { name: 'a', size: 1 } });
});

it('reports a single missing field by its path', () => {
  expect(parseInput(schema, {})).toEqual({ ok: false, failure: { kind: 'FieldMissing', field: 'name' } });
  expect(parseInput(schema, { name: 'a', parameters: [{ name: 'x' }, {}] })).toEqual({
    ok: false,
    failure: { kind: 'FieldMissing', field: 'parameters.1.name' },
  });
});

it('reports all problems at once, each as a sentence', () => {
  const result = parseInput(schema, { name: 1, size: 'x', sise: 2 });
  if (result.ok || result.failure.kind !== 'FieldInvalid') throw new Error('not refused');
  expect(result.failure.problems.map((problem) => problem.field)).toEqual(['name', 'size', 'body']);
  for (const { message } of result.failure.problems) expect(message).toMatch(/[^.]\.$/);
});

it.each([[null], [[]], ['text'], [1]])('rejects %j under the field name body', (value) => {
  expect(parseInput(schema, value)).toMatchObject({ failure: { kind: 'FieldInvalid', problems: [{ field: 'body' }] } });
});

it('treats null as an invalid value, not as a missing one', () => {
  expect(parseInput(schema, { name: null })).toMatchObject({ failure: { kind: 'FieldInvalid', problems: [{ field: 'name' }] } });
});
