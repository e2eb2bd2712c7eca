import { expect, it } from 'vitest';
import { attachment } from '../../results/file-name.ts';

it.each([
  ['Sales.csv', 'attachment; filename="Sales.csv"'],
  ['Café.csv', `attachment; filename="Cafe.csv"; filename*=UTF-8''Caf%C3%A9.csv`],
  ["100% (it's).csv", `attachment; filename="100_ (it's).csv"; filename*=UTF-8''100%25%20%28it%27s%29.csv`],
  ['😀.csv', `attachment; filename="_.csv"; filename*=UTF-8''%F0%9F%98%80.csv`],
])('%s', (name, header) => {
  expect(attachment(name)).toBe(header);
});
