import { randomInt } from 'node:crypto';
import type { Messages } from './messages.ts';

/**
 * A rollback takes back settings, roles and objects. It leaves session-level advisory locks, the seed of random numbers, and prepared statements:
 * a function may have put its own in the place of ours, so that later callers would get its rows. This statement removes the first two and
 * returns a row where a statement was prepared by SQL; ours never are.
 *
 * It is the unnamed statement of a session, the one that SQL can neither see nor replace. To look through the prepared statements costs more than a small query,
 * so it is done only where a function in a procedural language has run in this session: PL/pgSQL shows by its settings, others are taken to have run where there are any.
 */
export const cleaner = (othersMayHaveRun: boolean): string => `
  SELECT
  WHERE pg_catalog.pg_advisory_unlock_all() IS NULL OR pg_catalog.setseed($1) IS NULL
    OR ((${othersMayHaveRun} OR pg_catalog.current_setting('plpgsql.extra_errors', true) IS NOT NULL)
      AND EXISTS (SELECT FROM pg_catalog.pg_prepared_statement() WHERE from_sql))`;

export const cleanerTypes: readonly number[] = [701]; // double precision

/** Appends the use of the cleaner. */
export const clean = (messages: Messages): Messages => messages.bind('', [seed()]).execute();

/** Whether there are procedural languages whose use does not show. */
export const otherLanguages = `
  SELECT EXISTS (SELECT FROM pg_catalog.pg_language WHERE lanname NOT IN ('internal', 'c', 'sql', 'plpgsql'))`;

const half = 2 ** 46;

/** Each caller has its own random numbers. */
const seed = (): string => String(randomInt(2 * half) / half - 1);
