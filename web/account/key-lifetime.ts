import { countText } from '../components/count-text.ts';

/** The lifetimes that the form offers. */
export const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '60', label: '60 days' },
  { value: '90', label: '90 days' },
  { value: 'custom', label: 'Custom' },
  { value: 'never', label: 'Never' },
] as const;

export type Lifetime = (typeof lifetimes)[number]['value'];

/** The default of the service. */
export const defaultLifetime: Lifetime = '90';
/** The default for AI assistants. */
export const shortLifetime: Lifetime = '30';

export const MAX_DAYS = 3650;

export const isLifetime = (text: string | null): text is Lifetime => lifetimes.some(({ value }) => value === text);

/** The lifetime in days, null for never, undefined if no number was typed. */
export function daysOf(lifetime: Lifetime, customDays: number | string): number | null | undefined {
  if (lifetime === 'never') return null;
  if (lifetime !== 'custom') return Number(lifetime);
  return typeof customDays === 'number' ? customDays : undefined;
}

/** When the key expires, at the latest with its user's account. Null: never. */
export function endOf(days: number | null, accountEnd: string | null, now: number): Date | null {
  const ends = [days === null ? null : now + days * DAY_MS, accountEnd === null ? null : Date.parse(accountEnd)];
  const known = ends.filter((end) => end !== null);
  return known.length === 0 ? null : new Date(Math.min(...known));
}

/** The remaining lifetime of a key. */
export function daysLeftText(expiresAt: string, now: number): string {
  const days = Math.round((Date.parse(expiresAt) - now) / DAY_MS);
  if (days < 1) return 'in less than a day';
  return `in ${countText(days, 'day')}`;
}

const DAY_MS = 86_400_000;
