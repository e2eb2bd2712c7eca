import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Generation } from './remembered-reads.ts';

/**
 * The generation as it is at this moment. It is asked for several times a call, and read once for all that runs before the event loop
 * takes up the next event: whatever another process has answered since belongs to an event that is yet to come. What this process
 * does to the store itself shows at once (`forget`). Inside a transaction, whose changes may yet be undone, there is none.
 */
export function catalogGeneration(database: DatabaseSync): { readonly read: Generation; forget(): void } {
  let statement: StatementSync | undefined;
  let known: number | null | undefined;
  const forget = (): void => {
    known = undefined;
  };
  return {
    read: () => {
      if (database.isTransaction) return null;
      if (known !== undefined) return known;
      statement ??= database.prepare('select value from catalog_generation');
      known = Number(statement.get()?.value);
      process.nextTick(forget);
      return known;
    },
    forget,
  };
}
