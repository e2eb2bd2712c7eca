/** The token lifetimes in the dropdown. */
export const expirations = [
  { value: '7', label: '7' },
  { value: '30', label: '30' },
  { value: '90', label: '90' },
  { value: '365', label: '365' },
  { value: 'never', label: 'Never expire' },
] as const;

export type Expiration = (typeof expirations)[number]['value'];

/** The defaults of the service. */
export const defaultExpiration: Expiration = '7';
export const defaultLinkExpiration: Expiration = '90';

export const isExpiration = (text: string | null): text is Expiration => expirations.some(({ value }) => value === text);

/** The value for the request. */
export const daysOf = (expiration: Expiration): number | null => (expiration === 'never' ? null : Number(expiration));

/** The offered lifetime closest to one that was set through the API. */
export function findNearestExpiration(days: number | null): Expiration {
  if (days === null) return 'never';
  const numbered = expirations.filter(({ value }) => value !== 'never');
  return numbered.reduce((best, each) => (gap(each.value, days) < gap(best.value, days) ? each : best)).value;
}

const gap = (value: string, days: number): number => Math.abs(Number(value) - days);
