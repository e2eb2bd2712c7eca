import { networkKind } from '../network-kind.ts';
import { readSettings } from './settings.ts';

export const trino = networkKind('trino', readSettings, async () => (await import('./open.ts')).openTrino);
