import { z } from 'zod';
import { networkEngine, networkSettings } from '../network/network-engine.ts';
import { choices, dialect } from './dialect.ts';

export const postgres = networkEngine({
  kind: 'postgres',
  label: 'PostgreSQL',
  connection: { port: 5432 },
  settings: networkSettings.extend({ pipelinedBatches: z.boolean({ error: 'It is true or false.' }).default(true) }),
  dialect,
  choices,
  placeholders: { bound: 20_000, written: 20_000 },
  errorCodes: { credentials: ['28P01'], admission: ['28000'], database: ['3D000'], busy: ['53300'], starting: ['57P03'] },
  importOpen: async () => (await import('./open.ts')).openPostgres,
});
