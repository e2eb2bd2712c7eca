import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConnectionTest } from '../../app/api-types.ts';
import { call } from '../../app/api.ts';
import type { Database } from '../../app/wire.ts';

export interface SavedConnectionTest {
  readonly running: string | null; // id of the database being tested
  readonly name: string; // of the database tested last
  readonly result: ConnectionTest | null;
  readonly problem: unknown;
  readonly test: (database: Database) => Promise<void>;
}

/** Tests the saved connection of a database. */
export function useConnectionTest(): SavedConnectionTest {
  const queryClient = useQueryClient();
  const [running, setRunning] = useState<string | null>(null);
  const [outcome, setOutcome] = useState<Pick<SavedConnectionTest, 'name' | 'result' | 'problem'>>(noOutcome);
  const test = async ({ id, name }: Database) => {
    setRunning(id);
    setOutcome(noOutcome);
    try {
      const result = await call('POST /api/v1/databases/{id}/test', { params: { id } });
      setOutcome({ name, result, problem: null });
    } catch (problem) {
      setOutcome({ name, result: null, problem });
    } finally {
      setRunning(null);
      void queryClient.invalidateQueries({ queryKey: ['databases', 'list'] }); // it shows the last test
    }
  };
  return { running, ...outcome, test };
}

const noOutcome = { name: '', result: null, problem: null };
