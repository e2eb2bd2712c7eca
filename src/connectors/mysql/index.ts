import { networkKind, networkSettings } from '../network-kind.ts';

/** MySQL and MariaDB. */
export const mysql = networkKind(
  'mysql',
  { bound: 20_000, written: 20_000 },
  networkSettings('MySQL', 3306),
  async () => (await import('./open.ts')).openMysql,
);
