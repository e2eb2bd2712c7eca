import { fileEngine } from '../file-engine.ts';
import { choices, dialect } from './dialect.ts';

export const sqlite = fileEngine({
  kind: 'sqlite',
  label: 'SQLite',
  dialect,
  choices,
  placeholders: { bound: 5000, written: 5000 }, // it searches their names one by one: four times as many take 16 times as long
  blocksWriters: true, // unless the file has a write-ahead log
  hasLooseTypes: true,
  signature: { offset: 0, text: 'SQLite format 3\0' },
  importOpen: async () => (await import('./open.ts')).openDatabaseFile,
});
