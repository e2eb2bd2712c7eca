import { fileKind } from '../file-kind.ts';

export const duckdb = fileKind({
  kind: 'duckdb',
  name: 'DuckDB',
  signature: { offset: 8, text: 'DUCK' },
  importOpen: async () => (await import('./open.ts')).openDatabaseFile,
});
