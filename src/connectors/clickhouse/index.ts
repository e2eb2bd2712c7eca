import { networkKind } from '../network-kind.ts';
import { readSettings } from './settings.ts';

export const clickhouse = networkKind('clickhouse', readSettings, async () => (await import('./open.ts')).openClickHouse);
