import { ConnectorError, type ConnectorKind } from '../connector.ts';
import { readSettings } from './settings.ts';

export const trino: ConnectorKind = {
  kind: 'trino',
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
    const { openTrino } = await import('./open.ts');
    return openTrino(read.settings, request);
  },
};
