import { networkEngine, networkSettings } from '../network/network-engine.ts';
import { choices, dialect } from './dialect.ts';

export const mysql = networkEngine({
  kind: 'mysql',
  label: 'MySQL or MariaDB',
  connection: { port: 3306 },
  settings: networkSettings,
  dialect,
  choices,
  placeholders: { bound: 20_000, written: 20_000 },
  errorCodes: {
    credentials: ['ER_ACCESS_DENIED_ERROR', '1045'],
    database: ['ER_BAD_DB_ERROR', 'ER_DBACCESS_DENIED_ERROR', '1044', '1049'],
    busy: ['ER_CON_COUNT_ERROR', '1040'],
    withoutTls: ['HANDSHAKE_NO_SSL_SUPPORT'],
    closed: ['PROTOCOL_CONNECTION_LOST'],
  },
  importOpen: async () => (await import('./open.ts')).openMysql,
});
