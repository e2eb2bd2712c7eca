import type { SQLInputValue } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AuditCommit, type AuditValues } from './audit-commit.ts';
import { auditRowOf } from './audit-row.ts';
import type { AuditWriter } from './audit-writer.ts';
import { withoutNul } from './parameters.ts';
import { storeErrorOf } from './store-errors.ts';

const LOCK_TURNS = 50; // of the event loop, which another commit seldom outlasts
const LOCK_MS = 50;
const SLOW_MS = 5;
const SLOW_IN_A_ROW = 3; // one may have waited for the processor
const REST_MS = 10_000;

/**
 * Writes audit entries on the event loop itself: where several processes share the processors, to wake a thread and to be woken by it costs
 * more than the commit, and what the loop waits for the disk the other processes use. A lock that is held for longer, and a disk that is
 * slow, are left to `patient`.
 */
export function auditInPlace(file: string, patient: AuditWriter, slowMs = SLOW_MS): AuditWriter {
  let commit: AuditCommit | undefined;
  let closed = false;
  let slow = 0;
  let restsUntil = 0;

  /** False where it is for `patient`. */
  async function written(rows: readonly AuditRow[]): Promise<boolean> {
    const from = performance.now();
    if (from < restsUntil) return false;
    for (let turn = 0; turn < LOCK_TURNS && !closed && performance.now() < from + LOCK_MS; turn++) {
      commit ??= new AuditCommit(file, Object.keys(rows[0] ?? {}));
      if (commit.takeLock()) {
        const begun = performance.now();
        commit.commit(rows.map(valuesOf));
        note(performance.now() - begun);
        return true;
      }
      await nextTurn();
    }
    return false;
  }

  function note(tookMs: number): void {
    slow = tookMs > slowMs ? slow + 1 : 0;
    if (slow < SLOW_IN_A_ROW) return;
    slow = 0;
    restsUntil = performance.now() + REST_MS;
  }

  return {
    async append(entries) {
      try {
        if (await written(entries.map(auditRowOf))) return;
      } catch (error) {
        throw storeErrorOf(error, 'insert');
      }
      await patient.append(entries);
    },
    async close() {
      closed = true;
      commit?.close();
      await patient.close();
    },
  };
}

type AuditRow = ReturnType<typeof auditRowOf>;

const valuesOf = (row: AuditRow): AuditValues => withoutNul(Object.values(row)) as SQLInputValue[];
