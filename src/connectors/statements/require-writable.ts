import { ConnectorError } from '../connector.ts';

/** Refuses an Epilogue on a read-only connection. Throws `invalid`. */
export function requireWritable({ writable }: { readonly writable: boolean }): void {
  if (writable) return;
  throw new ConnectorError('invalid', 'This database is opened read-only: a query with an Epilogue cannot run on it.');
}
