import { setTimeout as delay } from 'node:timers/promises';
import { drainBounds, type Load } from '../../../src/results/snapshot/drain-scheduler.ts';
import { createSnapshots } from '../../../src/results/snapshot/snapshots.ts';
import { openStorage } from './open-storage.ts';
import { type Rows, rowStreamOf } from './row-stream-of.ts';

// Takes a result in a separate process: prints the id of the snapshot, then how the drain ended.
const [address = '', manner = 'stuck', count = '1000', clockMs = '0'] = process.argv.slice(2);
const now = () => Date.now() + Number(clockMs);
const { snapshots: storage } = await openStorage(address, now);

async function* rows(): AsyncGenerator<Rows> {
  for (let at = 0; at < Number(count); at += 100) {
    yield Array.from({ length: 100 }, (_, index) => [at + index]);
    if (manner === 'slow') await delay(20);
  }
  if (manner === 'stuck') await delay(60_000);
}

const column = { name: 'id', type: 'int4', kind: 'integer', label: 'id' } as const;
// as if other calls ran all the time: it goes on only as far as its readers do
const busy: Load = {
  counts: () => ({ running: 100, waiting: 0 }),
  countWaiting: () => 0,
  onWait: () => undefined,
};
const pausing = { load: busy, drainBounds: { ...drainBounds, promptBytes: 1 << 16, aheadBytes: 1 << 18 } };
const alive = setInterval(() => undefined, 1_000); // no connection keeps it alive here
const snapshots = createSnapshots({ storage, now, ...(manner === 'pausing' ? pausing : {}) });
const answer = await snapshots.take(rowStreamOf([column], rows()), {
  owner: { userId: 'u1', queryId: 'q1', queryName: 'QD_numbers', queryVersion: 1 },
  source: 'd1',
  columns: [column],
  classified: true,
  classify: () => [{ ...column, class: 'numeric', nature: 'id' }],
  rowIndex: 0,
  rowSize: 10,
  maxPageBytes: 1 << 20,
  wholeBeforeFirstPage: false,
  onEnd: ({ state, rows }) => {
    console.log(state, rows);
    clearInterval(alive);
  },
});
console.log(answer.kind === 'page' ? answer.snapshotId : answer.reason);
