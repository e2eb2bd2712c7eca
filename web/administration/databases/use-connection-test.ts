import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../app/api.ts';
import type { Database } from '../../app/wire.ts';
import type { Tested } from './test-result.tsx';

export interface ConnectionTest {
  readonly running: string | null; // id of the database being tested
  readonly name: string; // of the database tested last
  readonly result: Tested | null;
  readonly problem: unknown;
  readonly test: (database: Database) => Promise<void>;
}

/** Tests the saved connection of a database. */
export function useConnectionTest(): ConnectionTest {
  const queryClient = useQueryClient();
  const [running, setRunning] = useState<string | null>(null);
  const [done, setDone] = useState<Pick<ConnectionTest, 'name' | 'result' | 'problem'>>(nothing);
  const test = async ({ id, name }: Database) => {
    setRunning(id);
    setDone(nothing);
    try {
      const result = await call('POST /api/v1/databases/{id}/test', { params: { id } });
      setDone({ name, result, problem: null });
    } catch (problem) {
      setDone({ name, result: null, problem });
    } finally {
      setRunning(null);
      void queryClient.invalidateQueries({ queryKey: ['databases', 'list'] }); // shows the last test
    }
  };
  return { running, ...done, test };
}

const nothing = { name: '', result: null, problem: null };
