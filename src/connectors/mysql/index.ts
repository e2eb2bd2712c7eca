import { networkKind, networkSettings } from '../network-kind.ts';

/** MySQL and MariaDB. */
export const mysql = networkKind('mysql', networkSettings('MySQL', 3306), async () => (await import('./open.ts')).openMysql);
