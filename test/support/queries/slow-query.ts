import type { ApiResponse, Caller, ResultPage } from '../services/service.ts';
import { publish } from './publish.ts';

/** A query that keeps one core busy for a given time. */
export interface SlowQuery {
  readonly queryName: string;
  run(caller: Caller, seconds: number): Promise<ApiResponse<ResultPage>>;
}

const sql = `with recursive step(n) as (select 0 union all select n + 1 from step where n < @Steps)
select max(n) as n from step`;
const TRIAL = 20_000;

export async function publishSlowQuery(caller: Caller): Promise<SlowQuery> {
  const parameters = [{ name: '@Steps', dataType: 'bigint', required: true }];
  const { queryName } = await publish(caller, { name: 'Slow', sql, parameters });
  const steps = (count: number) => [{ ParameterName: '@Steps', Value: String(count), DataType: 'bigint' }];
  await caller.run(queryName, steps(100)); // opens the database
  const startedAt = performance.now();
  await caller.run(queryName, steps(TRIAL));
  const perSecond = (TRIAL * 1000) / (performance.now() - startedAt);
  return { queryName, run: (by, seconds) => by.run(queryName, steps(Math.round(perSecond * seconds))) };
}
