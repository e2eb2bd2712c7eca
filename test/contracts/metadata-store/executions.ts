import { expect, it } from 'vitest';
import type { MetadataStore, ReportedExecution } from '../../../src/store/metadata-store.ts';
import { now } from './fixtures.ts';

export const createExecution = (id: string, more: Partial<ReportedExecution> = {}): ReportedExecution => ({
  id,
  query: 'QD_Orders_Demo',
  userId: 'u1',
  user: 'Änn',
  kind: 'person',
  viewer: null,
  application: null,
  channel: 'mcp',
  startedAt: now - 5_000,
  rows: 5_000_000_000,
  request: null,
  state: 'running',
  ...more,
});

export function executionContract(store: () => MetadataStore): void {
  const report = (process: string, executions: readonly ReportedExecution[], at = now) =>
    store().executions.report(process, executions, { at, forgetBefore: at - 1000 });
  const ids = async (since = 0) => (await store().executions.list(since)).map(({ id }) => id).sort();

  it('returns the last report of each process', async () => {
    expect(await report('p1', [createExecution('a'), createExecution('b')])).toEqual([]);
    await report('p2', [createExecution('c')]);
    expect(await store().executions.list(0)).toContainEqual(createExecution('a'));
    await report('p1', [createExecution('b', { rows: 7, state: 'draining' }), createExecution('d')], now + 10);
    expect(await ids()).toEqual(['b', 'c', 'd']);
    expect(await store().executions.list(0)).toContainEqual(createExecution('b', { rows: 7, state: 'draining' }));
    await report('p1', []);
    expect(await ids()).toEqual(['c']);
  });

  it('passes a cancel request to the process that runs the execution, until it is done', async () => {
    await report('p1', [createExecution('a'), createExecution('b')]);
    await report('p2', [createExecution('c')]);
    expect(await store().executions.cancel('b', 0)).toBe(true);
    expect(await store().executions.cancel('unknown', 0)).toBe(false);
    expect(await store().executions.list(0)).toContainEqual(createExecution('b', { state: 'cancelling' }));
    expect(await report('p2', [createExecution('c')])).toEqual([]);
    expect(await report('p1', [createExecution('a'), createExecution('b')])).toEqual(['b']);
    expect(await report('p1', [createExecution('a')])).toEqual([]);
    expect(await store().executions.cancel('b', 0)).toBe(false);
  });

  it('removes processes that no longer report', async () => {
    await report('p1', [createExecution('a')]);
    expect(await ids(now + 1)).toEqual([]);
    expect(await store().executions.cancel('a', now + 1)).toBe(false);
    await report('p2', [createExecution('c')], now + 1001);
    expect(await ids()).toEqual(['c']);
  });
}
