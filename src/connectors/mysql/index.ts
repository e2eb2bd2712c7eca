import { ConnectorError, type ConnectorKind } from '../connector.ts';
import { readSettings } from './settings.ts';

/** MySQL and MariaDB. */
export const mysql: ConnectorKind = {
  kind: 'mysql',
  secretFields: ['password'],
  check(request) {
    const read = readSettings(request);
    return 'problems' in read ? read.problems : [];
  },
  async open(request) {
    const read = readSettings(request);
    if ('problems' in read) {
      throw new ConnectorError('unavailable', read.problems.map(({ field, message }) => `${field}: ${message}`).join(' '));
    }
    const { openMysql } = await import('./open.ts');
    return openMysql(read.settings, request);
  },
};
