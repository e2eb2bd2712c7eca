/** Lifetimes of a key that are offered. */
export const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '60', label: '60 days' },
  { value: '90', label: '90 days' },
  { value: 'custom', label: 'Custom' },
  { value: 'never', label: 'Never' },
] as const;

export type Lifetime = (typeof lifetimes)[number]['value'];

/** The service's own, where nobody chooses. */
export const defaultLifetime: Lifetime = '90';
/** For assistants: what they hold should not last long. */
export const shortLifetime: Lifetime = '30';

export const MAX_DAYS = 3650;

export const isLifetime = (word: string | null): word is Lifetime => lifetimes.some(({ value }) => value === word);

/** As the service takes it: days, null for never; undefined where no days are typed yet. */
export function daysOf(lifetime: Lifetime, customDays: number | string): number | null | undefined {
  if (lifetime === 'never') return null;
  if (lifetime !== 'custom') return Number(lifetime);
  return typeof customDays === 'number' ? customDays : undefined;
}

/** When such a key ends: never past its user's own end. Null: never. */
export function endOf(days: number | null, accountEnd: string | null, now: number): Date | null {
  const ends = [days === null ? null : now + days * DAY_MS, accountEnd === null ? null : Date.parse(accountEnd)];
  const known = ends.filter((end) => end !== null);
  return known.length === 0 ? null : new Date(Math.min(...known));
}

/** How long a key still works. */
export function daysLeftText(expiresAt: string, now: number): string {
  const days = Math.round((Date.parse(expiresAt) - now) / DAY_MS);
  if (days < 1) return 'in less than a day';
  return days === 1 ? 'in 1 day' : `in ${days.toLocaleString('en')} days`;
}

const DAY_MS = 86_400_000;
