import { ConnectorError } from '../connector.ts';

/** A statement that is refused before it runs; authors see the message. */
export const refusal = (message: string): ConnectorError => new ConnectorError('invalid', message);

export const onlySelect = 'Only a SELECT statement can be run here. A statement that changes rows belongs in the Epilogue.';

/** Refuses an Epilogue on a read-only connection. Throws `invalid`. */
export function requireWritable({ writable }: { readonly writable: boolean }): void {
  if (!writable) throw refusal('This database is opened read-only: a query with an Epilogue cannot run on it.');
}
