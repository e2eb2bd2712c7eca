import { Buffer } from 'node:buffer';
import type { BoundList, BoundValue, SqlType } from '../core/sql-value.ts';
import { type CallerIdentity, callerValues } from './caller-identity.ts';
import { quote } from './cast/cast-result.ts';
import { castTo } from './cast/cast.ts';
import { takeListed } from './closed-values.ts';
import type { ParameterDefinition } from './query.ts';
import { evaluate, isMomentType, type Clock, parseRelativeMoment } from './relative-moment.ts';
import { familyOf, parseSqlType } from './sql-type.ts';
import { UTC } from './time-zone.ts';

/** A parameter as sent by a caller; numbers and booleans have been converted to text. */
export interface SentParameter {
  readonly ParameterName: string;
  readonly Value: SentValue | undefined; // null: NULL; undefined: not sent
  readonly DataType?: string | undefined;
}

export type SentValue = string | null | readonly (string | null)[];

export const maxParameters = 100;
const maxListValues = 1000;
const largestValueBytes = 32 * 1024;

export type Bound = Omit<BoundValue, 'name'> | Omit<BoundList, 'name'> | { readonly message: string };

/** The value of a declared parameter, or why it cannot have the one that was sent. */
export function bindOne(definition: ParameterDefinition, sent: SentParameter | undefined, clock: Clock): Bound {
  const declared = parseSqlType(definition.dataType);
  if (declared === null) return { message: `Its declared type is not valid. ${describeUnknownType(definition.dataType)}` };
  if (sent === undefined) return bindOmitted(definition, declared, clock);
  const hint = sent.DataType ?? '';
  const hinted = hint.trim() === '' ? declared : parseSqlType(hint);
  if (hinted === null) return { message: describeUnknownType(hint) };
  const sentType = typeToCast(hinted, declared);
  if (sentType === null) return { message: `DataType ${quote(hint)} does not match the declared type ${definition.dataType}.` };
  if (sent.Value === undefined) return { message: 'Value is missing. Send a string, or null for NULL.' };
  const value = definition.multiple === true ? toList(sent.Value) : sent.Value;
  if (value === null)
    return definition.required ? { message: 'It is required and may not be null.' } : nullOf(definition, declared);
  const isEmptyList = typeof value === 'object' && value.length === 0;
  if (isEmptyList && definition.multiple === true) {
    return definition.required
      ? { message: 'It is required. Send at least one value.' }
      : bindOmitted(definition, declared, clock);
  }
  return castAll(definition, value, sentType, declared, clock);
}

/** The value of a parameter that is bound to the caller, or why there is none. */
export function bindToCaller(
  definition: ParameterDefinition & { readonly boundTo: string },
  caller: CallerIdentity,
  clock: Clock,
): Exclude<Bound, { message: string }> | CallerProblem {
  const declared = parseSqlType(definition.dataType);
  const texts = callerValues(definition.boundTo, caller);
  if (declared === null || texts.length === 0) return { problem: 'CallerAttributeMissing' };
  if (texts.length > 1 && definition.multiple !== true) return { problem: 'CallerAttributeAmbiguous' };
  const value = definition.multiple === true ? texts : (texts[0] ?? null);
  const bound = castAll(definition, value, declared, declared, clock);
  return 'message' in bound ? { problem: 'CallerAttributeMissing', message: bound.message } : { ...bound, fromCaller: true };
}

export interface CallerProblem {
  readonly problem: 'CallerAttributeMissing' | 'CallerAttributeAmbiguous';
  readonly message?: string; // why the value does not fit its type
}

function bindOmitted(definition: ParameterDefinition, declared: SqlType, clock: Clock): Bound {
  if (definition.default !== undefined) {
    const value = definition.multiple === true ? toList(definition.default) : definition.default;
    if (typeof value === 'string' || value?.length) {
      const bound = castAll(definition, value, declared, declared, clock);
      // a query that was saved before lists were closed may have a default that is not in its list
      return 'message' in bound ? castAll({ ...definition, valuesOpen: true }, value, declared, declared, clock) : bound;
    }
  }
  return definition.required ? { message: 'It is required. Send a value for it.' } : nullOf(definition, declared);
}

/** Checks the form of a default. */
export function castDefault(definition: ParameterDefinition, text: string, declared: SqlType): Bound {
  const value = definition.multiple === true ? (toList(text) ?? []) : text;
  return castAll(definition, value, declared, declared, { now: Date.UTC(2026, 0, 1), zone: UTC });
}

/** A text may be a JSON array; any other text is a single value. */
function toList(value: SentValue): SentValue {
  if (typeof value !== 'string') return value;
  if (!value.trimStart().startsWith('[')) return [value];
  try {
    const parsed: unknown = JSON.parse(value, keepDigits);
    if (Array.isArray(parsed) && parsed.every((each) => each === null || typeof each !== 'object'))
      return parsed.map((each) => (each === null ? null : String(each)));
  } catch {
    // a text that begins with a bracket
  }
  return [value];
}

const keepDigits = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  typeof value === 'number' ? (context?.source ?? value) : value;

const nullOf = ({ multiple }: ParameterDefinition, type: SqlType): Bound =>
  multiple === true ? { type, items: [] } : { type, value: null };

function castAll(definition: ParameterDefinition, value: SentValue, sent: SqlType, declared: SqlType, clock: Clock): Bound {
  if (typeof value === 'string') return castListed(definition, value, sent, declared, clock);
  if (definition.multiple !== true || value === null)
    return { message: 'It takes a single value. Send a string, a number, a boolean or null.' };
  if (value.length > maxListValues) return { message: `It takes at most ${maxListValues} values, not ${value.length}.` };
  const items: Omit<BoundValue, 'name' | 'type'>[] = [];
  const seen = new Set<string>();
  for (const each of value) {
    if (each === null) return { message: 'A list may not contain null. Leave it out.' };
    const { type: _, ...cast } = castListed(definition, each, sent, declared, clock);
    if ('message' in cast) return { message: cast.message };
    const key = cast.expression ?? cast.value ?? '';
    if (!seen.has(key)) items.push(cast);
    seen.add(key);
  }
  return { type: declared, items };
}

type BoundOne = Omit<BoundValue, 'name'> | { readonly type?: never; readonly message: string };

/** A value of a closed list is bound as the list spells it. */
function castListed(definition: ParameterDefinition, text: string, sent: SqlType, declared: SqlType, clock: Clock): BoundOne {
  const cast = castOne(text, sent, declared, clock);
  if ('message' in cast || cast.value === null) return cast;
  const taken = takeListed(cast.expression ?? cast.value, definition, declared);
  if (!taken.ok) return { message: taken.message };
  return cast.expression === undefined ? { ...cast, value: taken.value } : cast;
}

function castOne(text: string, sent: SqlType, declared: SqlType, clock: Clock): BoundOne {
  if (Buffer.byteLength(text) > largestValueBytes) return { message: 'The value is longer than 32 KiB.' };
  // a relative moment is evaluated in the declared type: cast to the type that was sent, a wall clock would be read as UTC
  const expression = isMomentType(declared.name) ? parseRelativeMoment(text) : null;
  if (expression !== null && isMomentType(declared.name)) {
    const evaluated = evaluate(expression, declared.name, clock);
    return evaluated.ok ? { type: declared, value: evaluated.value, expression } : { message: evaluated.message };
  }
  const cast = castTo(text, sent, declared);
  return cast.ok ? { type: declared, value: cast.value } : { message: cast.message };
}

/** The type to cast a value to before it must fit the declared one: callers send text types, and `int` for a bit, as hints. */
function typeToCast(hinted: SqlType, declared: SqlType): SqlType | null {
  if (familyOf(hinted) === familyOf(declared)) return hinted;
  return hinted.name === 'text' || (hinted.name === 'integer' && declared.name === 'bit') ? declared : null;
}

export const describeUnknownType = (spelling: string): string =>
  `The data type ${quote(spelling)} is not known. Use a SQL type such as nvarchar(50), int, decimal(12,2), datetime or bit.`;
