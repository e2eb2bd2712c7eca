import type { Migration } from './migration.ts';

/** Wrong passwords of the last minute, so that guessing at several processes gains nothing. */
export const guesses: Migration = {
  name: '0009-guesses',
  statements(kind) {
    const text = kind === 'postgres' ? 'text collate "C"' : 'text';
    return [
      `create table guesses (about ${text} not null, at bigint not null)`,
      'create index guesses_about on guesses (about, at)',
      'create index guesses_at on guesses (at)',
    ];
  },
};
