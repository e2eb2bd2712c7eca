import { randomInt } from 'node:crypto';
import type { Messages } from './messages.ts';

/**
 * A rollback takes back settings, roles and objects. It leaves session-level advisory locks, the seed of random numbers, and prepared statements:
 * a function may have put its own in the place of ours, so that later callers would get its rows. The cleaner removes the first two, and
 * returns a row where the third may have happened. It is the unnamed statement of a session, which SQL can neither see nor replace.
 *
 * To look through the prepared statements costs more than a small query. `quick` therefore only reports that PL/pgSQL is loaded, which shows by its
 * settings: without it no function has run that could prepare any statement (one in SQL can only what it was made with). From then on `thorough` reports statements that SQL has prepared; ours never are.
 */
const cleanerWith = (suspicion: string): string =>
  `SELECT WHERE pg_catalog.pg_advisory_unlock_all() IS NULL OR pg_catalog.setseed($1) IS NULL OR ${suspicion}`;

export const cleaners = {
  quick: cleanerWith("pg_catalog.current_setting('plpgsql.extra_errors', true) IS NOT NULL"),
  thorough: cleanerWith('EXISTS (SELECT FROM pg_catalog.pg_prepared_statement() WHERE from_sql)'),
} as const;

export const cleanerTypes: readonly number[] = [701]; // double precision

/** Appends the use of the cleaner. */
export const clean = (messages: Messages): Messages => messages.bind('', [seed()]).execute();

/** Whether there are procedural languages whose use does not show: then every run is followed by the thorough cleaner. */
export const otherLanguages = `
  SELECT EXISTS (SELECT FROM pg_catalog.pg_language WHERE lanname NOT IN ('internal', 'c', 'sql', 'plpgsql'))`;

const half = 2 ** 46;

/** Each caller has its own random numbers. */
const seed = (): string => String(randomInt(2 * half) / half - 1);
