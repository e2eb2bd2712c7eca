import { ConnectorError, type ConnectorKind, type OpenRequest } from '../connector.ts';
import { type DatabaseFile, fileProblem, findDatabaseFile, hasSignature } from '../database-file.ts';

export const duckdb: ConnectorKind = {
  kind: 'duckdb',
  secretFields: [],
  check(request) {
    const message = fileProblem(findFile(request));
    return message === null ? [] : [{ field: 'connection.file', message }];
  },
  async open(request) {
    const file = findFile(request);
    if (!file.ok) throw new ConnectorError('unavailable', file.message);
    const { openDatabaseFile } = await import('./open.ts');
    return openDatabaseFile(file.path, request);
  },
};

function findFile({ connection, surroundings }: OpenRequest): DatabaseFile {
  const found = findDatabaseFile(connection.file, surroundings);
  if (!found.ok) return found;
  try {
    if (hasSignature(found.path, 8, 'DUCK')) return found;
    return { ok: false, message: 'This is not a DuckDB database.', missing: false };
  } catch {
    return { ok: false, message: 'The service may not read this file.', missing: false };
  }
}
