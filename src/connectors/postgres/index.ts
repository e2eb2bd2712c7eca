import { networkKind, networkSettings } from '../network-kind.ts';

export const postgres = networkKind(
  'postgres',
  networkSettings('PostgreSQL', 5432),
  async () => (await import('./open.ts')).openPostgres,
);
