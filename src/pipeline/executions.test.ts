import { expect, it } from 'vitest';
import { createExecutions, type RunningExecution } from './executions.ts';

const execution = (id: string): RunningExecution => ({
  id,
  query: 'QD_Sales',
  userId: 'u1',
  user: 'alice',
  channel: 'rest',
  startedAt: 0,
  rows: 0,
  request: null,
  state: 'running',
});

it('lists executions until they end', () => {
  const executions = createExecutions();
  const end = executions.begin(execution('a'), () => {});
  executions.begin(execution('b'), () => {});
  end();
  end();
  expect(executions.list().map((each) => each.id)).toEqual(['b']);
  expect(executions.get('a')).toBeUndefined();
});

it('cancels a running execution, and returns false without one', () => {
  const executions = createExecutions();
  let cancelled = 0;
  const end = executions.begin(execution('a'), () => void cancelled++);
  expect(executions.cancel('a')).toBe(true);
  expect(executions.get('a')?.state).toBe('cancelling');
  end();
  expect(executions.cancel('a')).toBe(false);
  expect(cancelled).toBe(1);
});

it('cancels all, also if cancelling ends them immediately', () => {
  const executions = createExecutions();
  const cancelled: string[] = [];
  for (const id of ['a', 'b', 'c']) {
    const end = executions.begin(execution(id), () => {
      cancelled.push(id);
      end();
    });
  }
  executions.cancelAll();
  expect(cancelled).toEqual(['a', 'b', 'c']);
  expect(executions.list()).toEqual([]);
});
