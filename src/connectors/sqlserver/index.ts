import { networkKind } from '../network-kind.ts';
import { readSettings } from './settings.ts';

export const sqlserver = networkKind('sqlserver', readSettings, async () => (await import('./open.ts')).openSqlServer);
