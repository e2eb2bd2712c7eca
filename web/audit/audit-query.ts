import dayjs from 'dayjs';
import { channels, outcomes } from '../../src/audit/audit-entry.ts';
import type { QueryOf } from '../app/api.ts';
import type { SearchParams } from '../components/use-search-params.ts';

export type AuditQuery = QueryOf<'GET /api/v1/audit'>;

/** The words of the address that narrow the trail, but for the search. */
export const narrowing = ['from', 'to', 'user', 'query', 'channel', 'outcome', 'requestId'] as const;

/** What the address says, as the service wants it. */
export const auditQuery = (filters: SearchParams): AuditQuery => ({
  ...Object.fromEntries(
    (['user', 'query', 'requestId', 'search'] as const).flatMap((name) => (filters[name] ? [[name, filters[name]]] : [])),
  ),
  ...(filters.from ? { from: exactTime(filters.from, 'start') } : {}),
  ...(filters.to ? { to: exactTime(filters.to, 'end') } : {}),
  ...chosen('channel', channels, filters.channel),
  ...chosen('outcome', outcomes, filters.outcome),
});

/**
 * A day or a time without an offset is meant as the page shows times: where the reader is. The service would take it for UTC.
 * Anything else goes as it is, and the service says what is wrong with it.
 */
export function exactTime(text: string, edge: 'start' | 'end'): string {
  const time = dayjs(text);
  if (!time.isValid()) return text;
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return (edge === 'start' ? time.startOf('day') : time.endOf('day')).toISOString();
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text) ? time.toISOString() : text;
}

/** An address may say anything. */
function chosen<const N extends string, W extends string>(name: N, words: readonly W[], word: string | undefined) {
  const found = words.find((each) => each === word);
  return found === undefined ? {} : ({ [name]: found } as { [key in N]: W }); // a computed name has no type of its own
}
