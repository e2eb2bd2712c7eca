import { ordersSql } from '../databases/every-engine.ts';
import { type Account, createKey, createQueryUser, signIn } from '../people/accounts.ts';
import type { Caller, TestService } from '../services/service.ts';
import { publish } from './publish.ts';

export interface Person extends Account {
  readonly key: string;
  readonly cookie: string;
}

export async function createPerson(service: TestService, username: string, attributes: Record<string, unknown>): Promise<Person> {
  const account = await createQueryUser(service, username, { attributes });
  const { key } = await createKey(account.caller, { name: 'k' });
  return { ...account, key, cookie: await signIn(service, account) };
}

/** Ana sees North (and East), Bob sees South, Eve has no attributes. */
export async function createPeople(service: TestService): Promise<Readonly<Record<'ana' | 'bob' | 'eve', Person>>> {
  return {
    ana: await createPerson(service, 'ana', { region: 'North', regions: ['North', 'East'] }),
    bob: await createPerson(service, 'bob', { region: ['South'], regions: 'South' }),
    eve: await createPerson(service, 'eve', {}),
  };
}

interface Published {
  readonly id: string;
  readonly queryName: string;
}

/** Publishes the orders of the caller's region, and those of their regions. */
export async function publishBoundOrders(
  root: Caller,
  database: string,
): Promise<{ readonly single: Published; readonly list: Published }> {
  const dataType = 'nvarchar(20)';
  const region = { name: '@Region', dataType, boundTo: 'user.attributes.region' };
  const regions = { name: '@Regions', dataType, boundTo: 'user.attributes.regions', multiple: true };
  const name = `Orders on ${database}`;
  const single = await publish(root, { name, database, sql: ordersSql('= @Region'), parameters: [region] });
  const several = { name: `${name} of several`, database, sql: ordersSql('IN (@Regions)'), parameters: [regions] };
  return { single, list: await publish(root, several) };
}

/** The regions that an embed page shows. */
export const regionsIn = (page: string): string[] => [...new Set(page.match(/North|South|East/g))].sort();
