import { expect, test, vi } from 'vitest';
import { emptyText, explainEmpty } from './explain-empty.ts';

const parameter = (name: string, required: boolean, more: { default?: string; boundTo?: string } = {}) => ({
  ...{ name, required, default: null, boundTo: null },
  ...more,
});
const parameters = [
  parameter('@Country', true),
  parameter('@Region', false),
  parameter('@Year', false),
  parameter('@Top', false),
];
const values = { '@Country': 'Peru', '@Region': 'North', '@Year': '2030', '@Top': null };

async function explain(hasRows: (without: readonly string[]) => boolean) {
  const ask = vi.fn(async (without: readonly string[]) => hasRows(without));
  const reason = await explainEmpty(parameters, values, ask);
  return { text: emptyText(reason, parameters, values), runs: ask.mock.calls.length };
}

test('names the optional value that leaves no rows', async () => {
  expect(await explain((without) => without.includes('@Year'))).toEqual({
    text: 'No row matches @Year = 2030. Without this value there are rows.',
    runs: 3,
  });
});

test('names values of which each leaves no rows beside the other', async () => {
  const { text } = await explain(() => true);
  expect(text).toBe('No row matches @Region = North and @Year = 2030. Without one of them there are rows.');
});

test('names values that leave no rows together', async () => {
  const { text } = await explain((without) => without.length === 2);
  expect(text).toBe('No row matches @Region = North and @Year = 2030. Without these values there are rows.');
});

test('names the values that cannot be left out after one more run', async () => {
  expect(await explain(() => false)).toEqual({
    text: 'No row matches @Country = Peru. Check this value, or the conditions of the SQL.',
    runs: 1,
  });
});

test('reads defaults, lists and bound parameters', async () => {
  const bound = [parameter('@Mine', true, { boundTo: 'user.name' }), parameter('@Region', false, { default: 'North' })];
  const reason = await explainEmpty(bound, {}, async () => true);
  expect(emptyText(reason, bound, {})).toBe('No row matches @Region = North. Without this value there are rows.');
  expect(emptyText({ names: [], isTogether: false }, bound, {})).toMatch(/^No row matches @Mine from user.name\./);
  expect(emptyText({ names: ['@Region'], isTogether: false }, bound, { '@Region': ['a', 'b'] })).toMatch('@Region = a, b');
});

test('needs no run for SQL without optional values, and at most six', async () => {
  const ask = vi.fn(async () => true);
  const reason = await explainEmpty([], {}, ask);
  expect(ask).not.toHaveBeenCalled();
  expect(emptyText(reason, [], {})).toBe('Check the conditions and joins of the SQL.');
  const many = Array.from({ length: 9 }, (_, index) => parameter(`@P${index}`, false, { default: 'x' }));
  await explainEmpty(many, {}, ask);
  expect(ask).toHaveBeenCalledTimes(1);
  await explainEmpty(many.slice(0, 5), {}, ask);
  expect(ask).toHaveBeenCalledTimes(7);
});
