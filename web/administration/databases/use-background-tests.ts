import { type InfiniteData, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../../app/api.ts';
import type { Database } from '../../app/wire.ts';
import type { ListPage } from '../../components/lists/use-list.ts';

const STALE_MS = 10 * 60_000;
const MAX_TESTS = 20; // per visit: each one connects to a database and is audited

/**
 * Tests the listed databases again whose last test is old, while the page is open: one at a time, the oldest first. Returns the id
 * of the database that is being tested.
 */
export function useBackgroundTests(databases: readonly Database[]): string | null {
  const queryClient = useQueryClient();
  const [tested, setTested] = useState<ReadonlySet<string>>(new Set());
  const id = findStale(databases, tested, Date.now());
  useEffect(() => {
    if (id === null) return;
    const controller = new AbortController();
    const test = async () => {
      // without a response, the list keeps the time of the last test
      const result = await call('POST /api/v1/databases/{id}/test', { params: { id } }, controller).catch(() => null);
      if (controller.signal.aborted) return;
      setTested((before) => new Set([...before, id]));
      if (result === null) return;
      const lastTest = { ...result, at: new Date().toISOString() };
      queryClient.setQueriesData<InfiniteData<ListPage<Database>>>({ queryKey: ['databases', 'list'] }, (list) =>
        list === undefined ? undefined : { ...list, pages: list.pages.map((page) => withTest(page, id, lastTest)) },
      );
    };
    void test();
    return () => controller.abort();
  }, [id, queryClient]);
  return id;
}

export function findStale(databases: readonly Database[], tested: ReadonlySet<string>, now: number): string | null {
  if (tested.size >= MAX_TESTS) return null;
  const timeOf = ({ lastTest }: Database) => (lastTest == null ? 0 : Date.parse(lastTest.at));
  const stale = databases.filter(
    (database) => database.disabled !== true && !tested.has(database.id) && timeOf(database) < now - STALE_MS,
  );
  return stale.toSorted((a, b) => timeOf(a) - timeOf(b))[0]?.id ?? null;
}

const withTest = (page: ListPage<Database>, id: string, lastTest: NonNullable<Database['lastTest']>): ListPage<Database> => ({
  ...page,
  items: page.items.map((database) => (database.id === id ? { ...database, lastTest } : database)),
});
