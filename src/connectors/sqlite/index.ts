import type { ConnectorKind, OpenRequest } from '../connector.ts';
import { fileKind } from '../file-kind.ts';

const files = fileKind({
  kind: 'sqlite',
  name: 'SQLite',
  signature: { offset: 0, text: 'SQLite format 3\0' },
  importOpen: async () => (await import('./open.ts')).openDatabaseFile,
});

export const sqlite: ConnectorKind = {
  ...files,
  check: (request) => [...files.check(request), ...unknownFields(request)],
};

function unknownFields({ connection, settings }: OpenRequest): { field: string; message: string }[] {
  const fields = Object.keys(connection).filter((field) => field !== 'file');
  return [...fields.map((field) => `connection.${field}`), ...Object.keys(settings).map((field) => `settings.${field}`)].map(
    (field) => ({ field, message: 'A SQLite database has no such field.' }),
  );
}
