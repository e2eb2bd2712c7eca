import { type KeyLimits, narrower } from '../../access/api-key.ts';
import type { Config } from '../../config/config.ts';
import type { FieldProblem } from '../../core/errors.ts';

/** Requested limits; null or left out: the key has no separate limit. */
export type KeyLimitFields = { readonly [Limit in keyof KeyLimits]?: number | null | undefined };

/** The limits that apply to a key, its own or the general ones; null: no limit. */
export type KeyLimitsView = Readonly<Record<keyof KeyLimits, number | null>>;

type Name = keyof KeyLimits;

export const MAX_LIMITS: Readonly<Record<Name, number>> = { callsPerSecond: 1_000_000, rowsPerDay: 1e12, concurrent: 1000 };
const names: readonly Name[] = ['callsPerSecond', 'rowsPerDay', 'concurrent'];

/** The limits stored with the key; null if it has none. */
export function readLimits(fields: KeyLimitFields | null | undefined): KeyLimits | null {
  const given = names.flatMap((name) => {
    const limit = fields?.[name] ?? null;
    return limit === null ? [] : [[name, limit] as const];
  });
  return given.length === 0 ? null : Object.fromEntries(given);
}

/** A key's own limits can only be lower than the general ones. */
export function limitProblems(limits: KeyLimits | null, settings: Config): readonly FieldProblem[] {
  return names.flatMap((name) => {
    const wish = limits?.[name];
    if (wish === undefined) return [];
    const generalLimit = settings[settingNames[name]];
    if (!Number.isInteger(wish) || wish < 1 || wish > MAX_LIMITS[name])
      return [problem(name, `Expected a whole number from 1 to ${MAX_LIMITS[name]}, or null for no limit of its own.`)];
    if (generalLimit === 0 || wish <= generalLimit) return [];
    return [problem(name, `Every key is limited to ${generalLimit}: a key may have a lower limit, not a higher one.`)];
  });
}

export const limitsInEffect = (own: KeyLimits | null, settings: Config): KeyLimitsView => ({
  callsPerSecond: effectiveLimit('callsPerSecond', own, settings),
  rowsPerDay: effectiveLimit('rowsPerDay', own, settings),
  concurrent: effectiveLimit('concurrent', own, settings),
});

const effectiveLimit = (name: Name, own: KeyLimits | null, settings: Config): number | null =>
  narrower(own?.[name], settings[settingNames[name]]) || null;

const settingNames = { callsPerSecond: 'ratePerKey', rowsPerDay: 'keyRowsPerDay', concurrent: 'keyConcurrent' } as const;

const problem = (name: Name, message: string): FieldProblem => ({ field: `limits.${name}`, message });
