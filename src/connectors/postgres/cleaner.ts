import { randomInt } from 'node:crypto';
import type { Messages } from './messages.ts';

/**
 * A rollback reverts settings, roles and objects. It keeps session-level advisory locks, the random seed, and prepared statements: a function
 * may have replaced ours, so that later callers would get its rows. The cleaner resets the first two, and returns a row where the third may
 * have happened. It is the unnamed statement of a session, which SQL can neither see nor replace.
 *
 * Searching the prepared statements costs more than a small query. `quick` therefore only reports whether PL/pgSQL is loaded, which its settings
 * show: without it no function could have prepared a statement (SQL functions cannot). After that, `thorough` reports statements that SQL has
 * prepared; ours are prepared by the protocol.
 */
const cleanerWith = (suspicion: string): string =>
  `SELECT WHERE pg_catalog.pg_advisory_unlock_all() IS NULL OR pg_catalog.setseed($1) IS NULL OR ${suspicion}`;

export const cleaners = {
  quick: cleanerWith("pg_catalog.current_setting('plpgsql.extra_errors', true) IS NOT NULL"),
  thorough: cleanerWith('EXISTS (SELECT FROM pg_catalog.pg_prepared_statement() WHERE from_sql)'),
} as const;

export const cleanerTypes: readonly number[] = [701]; // double precision

/** Appends the execution of the cleaner. */
export const clean = (messages: Messages): Messages => messages.bind('', [seed()]).execute();

/** Whether there are procedural languages whose use cannot be detected: then every run is followed by the thorough cleaner. */
export const otherLanguages = `
  SELECT EXISTS (SELECT FROM pg_catalog.pg_language WHERE lanname NOT IN ('internal', 'c', 'sql', 'plpgsql'))`;

/** Every run gets a new random seed. Digits of a small integer: to write a random double takes longer than to draw it. */
const seed = (): string => `0.${randomInt(2 ** 31)}`;
