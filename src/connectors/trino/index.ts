import { networkKind } from '../network-kind.ts';
import { readSettings } from './settings.ts';

/** The text of a statement, with its values, has at most 1,000,000 characters. */
export const trino = networkKind(
  'trino',
  { bound: 5000, written: 5000 },
  readSettings,
  async () => (await import('./open.ts')).openTrino,
);
