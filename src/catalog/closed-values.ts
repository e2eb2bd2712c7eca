import type { SqlType } from '../core/sql-value.ts';
import { type CastResult, castSucceeded, quote, castFailed } from './cast/cast-result.ts';
import { castValue } from './cast/cast.ts';
import { findClosestName } from './closest-name.ts';
import { isMomentType, parseRelativeMoment } from './relative-moment.ts';

/** The part of a parameter that lists its values. */
export interface ListedValues {
  readonly values?: readonly string[];
  readonly valuesOpen?: boolean; // they are only suggestions
}

/** The only values that a parameter takes; undefined if it takes others, too. */
export const closedValues = ({ values = [], valuesOpen }: ListedValues): readonly string[] | undefined =>
  values.length > 0 && valuesOpen !== true ? values : undefined;

/**
 * The value as the list spells it, or why the list does not have it. Values are compared as their type writes them, relative
 * moments as expressions, and texts ignore case, unless the list has several that differ only in case.
 *
 * @param value canonical text of the type, or an expression
 */
export function takeListed(value: string, definition: ListedValues, type: SqlType): CastResult {
  const listed = closedValues(definition);
  if (listed === undefined) return castSucceeded(value);
  const found = spellingsIn(definition, listed, type).get(type.name === 'text' ? value.toLowerCase() : value) ?? [];
  const [first, another] = found;
  if (first === undefined) return castFailed(`${quote(value)} is not one of its values. ${advice(value, listed)}`);
  if (type.name !== 'text' || found.includes(value)) return castSucceeded(value);
  return another === undefined ? castSucceeded(first) : castFailed(`Write ${found.map(quote).join(' or ')} exactly.`);
}

type Spellings = ReadonlyMap<string | null, readonly string[]>;
const spellings = new WeakMap<ListedValues, Spellings>();

/** The values by what they are compared by. Casting them for each value of a list would take seconds. */
function spellingsIn(definition: ListedValues, listed: readonly string[], type: SqlType): Spellings {
  const known = spellings.get(definition);
  if (known !== undefined) return known;
  const grouped = Map.groupBy(new Set(listed), (each) => (type.name === 'text' ? each.toLowerCase() : canonicalize(each, type)));
  spellings.set(definition, grouped);
  return grouped;
}

/** The canonical text by which values of the list are compared; null if the type does not accept the text. */
export function canonicalize(text: string, type: SqlType): string | null {
  const expression = isMomentType(type.name) ? parseRelativeMoment(text) : null;
  if (expression !== null) return expression;
  const cast = castValue(text, type);
  return cast.ok ? cast.value : null;
}

const MOST_NAMED = 20;

function advice(sent: string, listed: readonly string[]): string {
  const more = listed.length > MOST_NAMED ? ` and ${listed.length - MOST_NAMED} more` : '';
  const closest = findClosestName(sent, listed);
  const meant = closest === undefined ? '' : ` Did you mean ${quote(closest)}?`;
  return `Send one of ${listed.slice(0, MOST_NAMED).map(quote).join(', ')}${more}.${meant}`;
}
