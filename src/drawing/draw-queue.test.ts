import { expect, it } from 'vitest';
import { createDrawQueue } from './draw-queue.ts';

const job = (owner: string, chart = 'a', bytes = 1) => ({ turn: { owner, chart, bytes } });
type Job = ReturnType<typeof job>;
const queueOf = (limits = {}) => createDrawQueue<Job>({ inAll: 100, perChart: 2, bytes: 1000, ...limits });
const fill = (queue: ReturnType<typeof queueOf>, jobs: readonly Job[]): readonly boolean[] =>
  jobs.map((each) => queue.add(each, () => undefined));
const taken = (queue: ReturnType<typeof queueOf>): readonly string[] => {
  const order: string[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) order.push(`${next.turn.owner}${next.turn.chart}`);
  return order;
};

it('alternates between owners, and between the charts of an owner', () => {
  const queue = queueOf();
  fill(queue, [job('A', '1'), job('A', '1'), job('A', '2'), job('A', '3'), job('B', '1'), job('C', '1')]);
  expect(taken(queue)).toEqual(['A1', 'B1', 'C1', 'A2', 'A3', 'A1']);
});

it('serves a new owner after one drawing of each other owner', () => {
  const queue = queueOf();
  fill(
    queue,
    Array.from({ length: 50 }, (_, chart) => job('A', String(chart))),
  );
  for (let n = 0; n < 10; n++) queue.take();
  fill(queue, [job('B')]);
  const [first, second] = [queue.take(), queue.take()];
  expect([first?.turn.owner, second?.turn.owner]).toContain('B');
});

it('accepts two waiting drawings of a chart', () => {
  expect(fill(queueOf(), [job('A'), job('A'), job('A'), job('A', 'b'), job('B')])).toEqual([true, true, false, true, true]);
});

it('drops the latest drawing of the busiest owner when it is full', () => {
  const queue = queueOf({ inAll: 3 });
  fill(queue, [job('A', '1'), job('A', '2'), job('A', '3')]);
  const dropped: string[] = [];
  expect(queue.add(job('B', '1'), ({ turn }) => dropped.push(turn.chart))).toBe(true);
  expect(queue.add(job('B', '2'), () => undefined)).toBe(false); // both would have as many
  expect(queue.add(job('A', '4'), () => undefined)).toBe(false);
  expect(dropped).toEqual(['3']);
  expect(taken(queue)).toEqual(['A1', 'B1', 'A2']);
});

it('limits the bytes that wait, and accepts any single drawing', () => {
  const queue = queueOf({ bytes: 10 });
  expect(fill(queue, [job('A', '1', 50), job('A', '2', 1), job('B', '1', 1)])).toEqual([true, false, false]);
  queue.take();
  expect(fill(queue, [job('A', '1', 4), job('A', '2', 6), job('A', '3', 1)])).toEqual([true, true, false]);
});
