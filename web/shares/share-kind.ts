import type { ReactNode } from 'react';
import type { Permission, SentParameter } from '../app/wire.ts';
import type { ListPage } from '../components/lists/use-list.ts';

/** What embeds and data links have in common: an address that works without signing in. */
export interface Share {
  readonly id: string;
  readonly queryName: string;
  readonly parameters: Readonly<Record<string, string | null | readonly (string | null)[]>>;
  readonly issuer: string;
  readonly state: 'valid' | 'expired';
  readonly expiresAt: string | null;
  readonly views: number;
}

/** What differs between them. */
export interface ShareKind<S extends Share> {
  readonly key: string; // of the cached list
  readonly title: string; // 'Embeds'
  readonly permission: Permission; // to create and regenerate them
  readonly nameOf: (share: S) => string;
  readonly detailsOf: (share: S) => string; // one line that identifies it
  readonly urlOf: (share: S) => string | null; // null: the share of another user
  readonly lastUseOf: (share: S) => string | null;
  readonly daysOf: (share: S) => number | null;
  readonly words: Readonly<Record<'share' | 'views' | 'lastUse' | 'unused', string>>;
  readonly queryPage: '/query-to-chart' | '/query-to-json';
  readonly regenerateText: string;
  readonly revokeText: string;
  readonly list: (query: { search: string; cursor: string | undefined }, signal: AbortSignal) => Promise<ListPage<S>>;
  readonly revoke: (id: string) => Promise<unknown>;
  readonly regenerate: (share: S, days: number | null) => Promise<NewToken>;
}

export interface NewToken {
  readonly expiresAt: string | null;
  readonly fields: ReactNode; // the new address
}

/** The parameter values: '@Region = North, @Years = [2025, 2026]'. */
export const valuesText = (parameters: Readonly<Record<string, SentParameter['Value']>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name} = ${Array.isArray(value) ? `[${value.join(', ')}]` : (value ?? 'NULL')}`)
    .join(', ');

/** The placeholder that the service returns for a masked value; the share keeps the value. */
export const MASKED = '***';
