import { networkEngine } from '../network/network-engine.ts';
import { choices, dialect } from './dialect.ts';
import { connectionFields, settings } from './settings.ts';

export const trino = networkEngine({
  kind: 'trino',
  label: 'Trino',
  testedOnly: 'a simulated server',
  connection: { port: 8080, tlsPort: 8443, databaseLabel: 'Catalog' },
  fields: connectionFields,
  settings,
  problemOf: ({ password, tls }) =>
    password !== '' && tls === false
      ? { field: 'connection.tls', message: 'Trino takes passwords over TLS only: switch tls on.' }
      : null,
  dialect,
  choices,
  placeholders: { bound: 5000, written: 5000 }, // a text, with its values, has at most 1,000,000 characters
  errorCodes: { credentials: ['401'] },
  showsValues: true,
  async importOpen() {
    const { openTrino } = await import('./open.ts');
    return ({ database: catalog, ...others }, request) => openTrino({ ...others, catalog }, request);
  },
});
