import { foundation } from './0001-foundation.ts';
import type { Migration } from './migration.ts';

/** In order, forward only. A released migration is never changed: add another. */
export const migrations: readonly Migration[] = [foundation];
