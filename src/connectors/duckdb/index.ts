import { fileEngine } from '../file-engine.ts';
import { choices, dialect } from './dialect.ts';

export const duckdb = fileEngine({
  kind: 'duckdb',
  label: 'DuckDB',
  dialect,
  choices,
  placeholders: { bound: 2000, written: 2000 }, // 5,000 take a second to check, to prepare and to bind; its process serves all callers
  signature: { offset: 8, text: 'DUCK' },
  importOpen: async () => (await import('./open.ts')).openDatabaseFile,
});
