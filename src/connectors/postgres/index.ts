import { networkKind } from '../network-kind.ts';
import { readSettings } from './settings.ts';

export const postgres = networkKind('postgres', readSettings, async () => (await import('./open.ts')).openPostgres);
