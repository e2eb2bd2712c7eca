import dayjs from 'dayjs';
import { channels, outcomes } from '../../src/audit/audit-entry.ts';
import type { QueryOf } from '../app/api.ts';
import type { SearchParams } from '../components/use-search-params.ts';

export type AuditQuery = QueryOf<'GET /api/v1/audit'>;

/** The search parameters that filter the audit trail. */
export const filterNames = ['from', 'to', 'user', 'action', 'query', 'channel', 'outcome', 'requestId'] as const;

/** The URL's search parameters as a request to the service. */
export const auditQuery = (filters: SearchParams): AuditQuery => ({
  ...Object.fromEntries(
    (['user', 'action', 'query', 'requestId', 'search'] as const).flatMap((name) =>
      filters[name] ? [[name, filters[name]]] : [],
    ),
  ),
  ...(filters.from ? { from: toExactTime(filters.from, 'start') } : {}),
  ...(filters.to ? { to: toExactTime(filters.to, 'end') } : {}),
  ...filterBy('channel', channels, filters.channel),
  ...filterBy('outcome', outcomes, filters.outcome),
});

/**
 * A day or a time without an offset is local time, as the page shows it. The service would read it as UTC.
 * Anything else is sent unchanged, and the service reports the error.
 */
export function toExactTime(text: string, edge: 'start' | 'end'): string {
  const time = dayjs(text);
  if (!time.isValid()) return text;
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return (edge === 'start' ? time.startOf('day') : time.endOf('day')).toISOString();
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text) ? time.toISOString() : text;
}

/** Ignores unknown values in the URL. */
function filterBy<const N extends string, W extends string>(name: N, known: readonly W[], value: string | undefined) {
  const found = known.find((each) => each === value);
  return found === undefined ? {} : ({ [name]: found } as { [key in N]: W }); // TypeScript does not type a computed key
}
