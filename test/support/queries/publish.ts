import { type Caller, expectStatus } from '../services/service.ts';

/** Creates, validates and activates a query. */
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
