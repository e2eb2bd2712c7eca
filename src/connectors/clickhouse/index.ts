import { ConnectorError, type ConnectorKind } from '../connector.ts';
import { readSettings } from './settings.ts';

export const clickhouse: ConnectorKind = {
  kind: 'clickhouse',
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
    const { openClickHouse } = await import('./open.ts');
    return openClickHouse(read.settings, request);
  },
};
