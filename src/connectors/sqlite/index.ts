import { fileKind } from '../file-kind.ts';

export const sqlite = fileKind({
  kind: 'sqlite',
  name: 'SQLite',
  signature: { offset: 0, text: 'SQLite format 3\0' },
  importOpen: async () => (await import('./open.ts')).openDatabaseFile,
});
