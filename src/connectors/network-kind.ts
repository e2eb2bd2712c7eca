import { type Connector, ConnectorError, type ConnectorKind, type OpenRequest } from './connector.ts';
import { loadDriver } from './load-driver.ts';
import type { SettingsRead } from './network-settings.ts';

/** An engine that is reached over a network. The code that opens it is imported with its driver on first use. */
export function networkKind<Settings>(
  kind: string,
  readSettings: (request: OpenRequest) => SettingsRead<Settings>,
  importOpen: () => Promise<(settings: Settings, request: OpenRequest) => Connector>,
): ConnectorKind {
  return {
    kind,
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
      const open = await loadDriver(kind, importOpen);
      return open(read.settings, request);
    },
  };
}
