import type { Answer, Caller } from '../services/service.ts';

/** Creates, validates and activates a query; answers the resource. */
export async function publish(
  caller: Caller,
  query: { name: string; sql: string; database?: string; parameters?: readonly unknown[] } & Record<string, unknown>,
): Promise<{ id: string; queryName: string; version: number }> {
  const created = await expectStatus(
    caller.call<Resource>('POST', '/api/v1/queries', { database: 'Demo', parameters: [], ...query }),
    201,
  );
  for (const move of ['validate', 'activate']) {
    await expectStatus(caller.call('POST', `/api/v1/queries/${created.json.id}/${move}`), 200);
  }
  return created.json;
}

interface Resource {
  readonly id: string;
  readonly queryName: string;
  readonly version: number;
}

export async function expectStatus<T>(answer: Promise<Answer<T>>, status: number): Promise<Answer<T>> {
  const got = await answer;
  if (got.status !== status) throw new Error(`expected ${status}, got ${got.status}: ${got.text.slice(0, 2000)}`);
  return got;
}
