import { expect, test } from 'vitest';
import { createLargest } from './reduce-rows.ts';

test('reads each value some tens of times, however many labels it keeps', () => {
  const rows = 20_000;
  let reads = 0;
  const reducer = createLargest({ label: 'Name', data: ['Value'], series: null, above: 1000, keep: 999 });
  for (let index = 0; index < rows; index++)
    reducer.add({
      Name: `name ${index}`,
      get Value() {
        reads++;
        return (index * 7919) % 20_011;
      },
    });
  expect(reducer.finish()).toMatchObject({ rows: { length: 1000 }, others: { labels: rows - 999 } });
  expect(reads / rows).toBeLessThan(60);
});
