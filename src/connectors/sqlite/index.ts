import { ConnectorError, type ConnectorKind, type OpenRequest } from '../connector.ts';
import { type DatabaseFile, fileProblem, findDatabaseFile, hasSignature } from '../database-file.ts';

export const sqlite: ConnectorKind = {
  kind: 'sqlite',
  secretFields: [],
  check(request) {
    const message = fileProblem(findFile(request));
    return [...(message === null ? [] : [{ field: 'connection.file', message }]), ...unknownFields(request)];
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
    if (hasSignature(found.path, 0, 'SQLite format 3\0')) return found;
    return { ok: false, message: 'This is not a SQLite database.', missing: false };
  } catch {
    return { ok: false, message: 'The service may not read this file.', missing: false };
  }
}

function unknownFields({ connection, settings }: OpenRequest): { field: string; message: string }[] {
  const fields = Object.keys(connection).filter((field) => field !== 'file');
  return [...fields.map((field) => `connection.${field}`), ...Object.keys(settings).map((field) => `settings.${field}`)].map(
    (field) => ({ field, message: 'A SQLite database has no such field.' }),
  );
}
