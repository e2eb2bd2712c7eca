import { ConnectorError } from './connector.ts';

/** Throws `invalid` on a read-only connection. */
export function requireWritable({ writable }: { readonly writable: boolean }): void {
  if (writable) return;
  throw new ConnectorError('invalid', 'This database is opened read-only: a query with an Epilogue cannot run on it.');
}

export const noTransactions = (engine: string): ConnectorError =>
  new ConnectorError('invalid', `${engine} has no transactions that an Epilogue could be part of.`);
