import { fileKind } from '../file-kind.ts';

export const sqlite = fileKind({
  kind: 'sqlite',
  name: 'SQLite',
  placeholders: { bound: 5000, written: 5000 }, // it searches their names one by one: four times as many take 16 times as long
  signature: { offset: 0, text: 'SQLite format 3\0' },
  importOpen: async () => (await import('./open.ts')).openDatabaseFile,
});
