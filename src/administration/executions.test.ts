import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNote, expectSuccess, failureOf, NOW, openPeople, type People } from '../../test/support/people/people.ts';
import { createClusterExecutions, createExecutions } from '../pipeline/executions.ts';
import { createRunningQueries } from './executions.ts';

let people: People;
beforeAll(async () => {
  people = await openPeople();
  await people.add('bob', ['Query User']);
  await people.add('eve', ['Query User', 'Auditor', 'Security Administrator']);
});
afterAll(() => people.close());

async function running() {
  const executions = createExecutions();
  const cancelled: string[] = [];
  for (const name of ['bob', 'eve']) {
    const { userId } = await people.as(name);
    const execution = {
      id: `of-${name}`,
      query: 'QD_A_Sales',
      userId,
      user: name,
      kind: 'person',
      viewer: null,
      application: null,
      channel: 'rest',
      startedAt: NOW,
    } as const;
    executions.begin({ ...execution, request: null, rows: 5, state: 'running' }, () => cancelled.push(name));
  }
  const cluster = createClusterExecutions({ executions, store: null, process: 'here', now: () => NOW });
  return { queries: createRunningQueries({ executions: cluster }), cancelled };
}

it('lists a user’s own executions, and all for an Administrator', async () => {
  const { queries } = await running();
  const mine = expectSuccess(await queries.list(await people.as('eve'), { limit: 10 }));
  expect(mine).toEqual({
    items: [
      {
        id: 'of-eve',
        query: 'QD_A_Sales',
        user: 'eve',
        kind: 'person',
        viewer: null,
        application: null,
        channel: 'rest',
        startedAt: '2026-11-15T10:00:00.000Z',
        rows: 5,
        state: 'running',
      },
    ],
    nextCursor: null,
  });
  expect(expectSuccess(await queries.list(await people.as('admin'), { limit: 10 })).items).toHaveLength(2);
});

it('cancels a user’s own executions only, and any for an Administrator', async () => {
  const { queries, cancelled } = await running();
  const eve = await people.as('eve');
  expect(failureOf(await queries.cancel(eve, 'of-bob', createNote())).kind).toBe('NotFound');
  expect(failureOf(await queries.cancel(eve, 'unknown', createNote())).kind).toBe('NotFound');
  expect(cancelled).toEqual([]);
  const note = createNote();
  expectSuccess(await queries.cancel(eve, 'of-eve', note));
  expect(note).toMatchObject({ query: 'QD_A_Sales', parameters: { execution: 'of-eve', user: 'eve' } });
  expectSuccess(await queries.cancel(await people.as('admin'), 'of-bob', createNote()));
  expect(cancelled).toEqual(['eve', 'bob']);
});
