import type { IncomingHttpHeaders } from 'node:http';
import { redactKeys } from '../../access/api-key.ts';

/** Empty headers count as absent. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A value from the client, shortened for error messages. */
export const quoteValue = (value: unknown): string =>
  JSON.stringify(typeof value === 'string' ? redactKeys(value).slice(0, 100) : typeof value);
