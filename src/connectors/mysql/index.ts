import { networkKind } from '../network-kind.ts';
import { readSettings } from './settings.ts';

/** MySQL and MariaDB. */
export const mysql = networkKind('mysql', readSettings, async () => (await import('./open.ts')).openMysql);
