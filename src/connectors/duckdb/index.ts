import { fileKind } from '../file-kind.ts';

export const duckdb = fileKind({
  kind: 'duckdb',
  name: 'DuckDB',
  placeholders: { bound: 5000, written: 5000 }, // 20,000 take seconds to check, to prepare and to bind, and much memory
  signature: { offset: 8, text: 'DUCK' },
  importOpen: async () => (await import('./open.ts')).openDatabaseFile,
});
