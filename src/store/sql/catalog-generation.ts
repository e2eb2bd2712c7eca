import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Generation } from './remembered-reads.ts';

/**
 * Read once for all calls of a turn of the event loop, behind the last of them: so what any process has answered before one of them began
 * is in it. It counts for what these calls do without waiting, and no longer. What this process itself does to the store shows at once
 * (`forget`). Inside a transaction, whose changes may yet be undone, there is none.
 */
export function catalogGeneration(database: DatabaseSync): Generation & { forget(): void } {
  let statement: StatementSync | undefined;
  let known: number | undefined;
  let reading: Promise<number | null> | undefined;
  const forget = (): void => {
    known = undefined;
  };

  function read(): number | null {
    reading = undefined;
    if (database.isTransaction) return null;
    try {
      statement ??= database.prepare('select value from catalog_generation');
      known = Number(statement.get()?.value);
    } catch {
      return null; // where the store is locked or gone, the read itself waits for it, or says so
    }
    // from a promise's turn: the tick then comes when all that follows from this read has been done
    queueMicrotask(() => process.nextTick(forget));
    return known;
  }

  return {
    now: () => (database.isTransaction ? null : known),
    soon: () => {
      reading ??= new Promise((resolve) => setImmediate(() => resolve(read())));
      return reading;
    },
    forget,
  };
}
