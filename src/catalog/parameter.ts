import { Buffer } from 'node:buffer';
import { type FieldProblem, failed, inputRefused, type Result, succeeded } from '../errors.ts';
import type { BoundValue, SqlType } from '../sql-value.ts';
import { quote } from './cast/cast-result.ts';
import { castTo } from './cast/cast.ts';
import { closestName, shownName, suggestion } from './closest-name.ts';
import type { ParameterDefinition } from './query.ts';
import { evaluate, type MomentType, type Present, relativeMoment } from './relative-moment.ts';
import { familyOf, parseSqlType } from './sql-type.ts';
import { UTC } from './time-zone.ts';

/** A parameter as sent by a caller; numbers and booleans have been converted to text. */
export interface SentParameter {
  readonly ParameterName: string;
  readonly Value: string | null | undefined; // null: NULL; undefined: not sent
  readonly DataType?: string | undefined;
}

const maxParameters = 100;
const longestName = 128;
const largestValueBytes = 32 * 1024;

/** The values to bind, in declared order; or all problems of the call at once. */
export function bindParameters(
  declared: readonly ParameterDefinition[],
  sent: readonly SentParameter[],
  present: Present,
): Result<readonly BoundValue[]> {
  if (sent.length > maxParameters) {
    return refusedWith([invalid('Parameters', `At most ${maxParameters} parameters may be sent, not ${sent.length}.`)]);
  }
  const { byName, misspelled, problems } = matchNames(declared, sent);
  const values: BoundValue[] = [];
  for (const definition of declared) {
    const { name } = definition;
    const given = byName.get(name);
    const bound = bindOne(definition, given, present);
    if (!('message' in bound)) values.push({ name, ...bound });
    else if (given !== undefined || !misspelled.includes(name)) problems.push(invalid(name, bound.message));
  }
  return problems.length > 0 ? refusedWith(problems) : succeeded(values);
}

/** The parameters under their declared names. Those of other names are left as they are. */
export const withDeclaredNames = (
  declared: readonly ParameterDefinition[],
  sent: readonly SentParameter[],
): readonly SentParameter[] =>
  sent.map((each) => {
    const [name, another] = declaredNames(declared, each.ParameterName);
    return name === undefined || another !== undefined ? each : { ...each, ParameterName: name };
  });

/** Problems of the declarations for their author, by body path. */
export function checkParameterDefinitions(parameters: readonly ParameterDefinition[]): FieldProblem[] {
  if (parameters.length > maxParameters) {
    return [{ field: 'parameters', message: `A query may have at most ${maxParameters} parameters, not ${parameters.length}.` }];
  }
  const problems = checkParameterNames(parameters);
  parameters.forEach((parameter, index) => {
    const type = parseSqlType(parameter.dataType);
    if (type === null) {
      problems.push({ field: `parameters.${index}.dataType`, message: unknownType(parameter.dataType) });
      return;
    }
    if (parameter.default === undefined) return;
    const cast = castWithinBounds(parameter.default, type, type, anyPresent);
    if ('message' in cast) problems.push({ field: `parameters.${index}.default`, message: cast.message });
  });
  return problems;
}

export const isParameterName = (name: string): boolean =>
  name.length <= longestName && /^@[\p{L}_][\p{L}\p{M}\p{N}_]*$/u.test(name);

/** Problems for the author: names that the SQL cannot use, and duplicates. */
export function checkParameterNames(parameters: readonly { readonly name: string }[]): FieldProblem[] {
  const seen = new Set<string>();
  return parameters.flatMap(({ name }, index) => {
    const field = `parameters.${index}.name`;
    if (!isParameterName(name)) {
      return [
        { field, message: `Write @ and then letters, digits and underscores, ${longestName} characters at most, as in @Region.` },
      ];
    }
    if (seen.has(name)) return [{ field, message: `${name} is declared twice. Remove one of them.` }];
    seen.add(name);
    return [];
  });
}

type Bound = Omit<BoundValue, 'name'> | { readonly message: string };

function bindOne(definition: ParameterDefinition, sent: SentParameter | undefined, present: Present): Bound {
  const declared = parseSqlType(definition.dataType);
  if (declared === null) return { message: `Its declared type is not valid. ${unknownType(definition.dataType)}` };
  if (sent === undefined) return bindOmitted(definition, declared, present);
  const hint = sent.DataType ?? '';
  const hinted = hint.trim() === '' ? declared : parseSqlType(hint);
  if (hinted === null) return { message: unknownType(hint) };
  const sentType = typeToCast(hinted, declared);
  if (sentType === null) return { message: `DataType ${quote(hint)} does not match the declared type ${definition.dataType}.` };
  if (sent.Value === undefined) return { message: 'Value is missing. Send a string, or null for NULL.' };
  if (sent.Value !== null) return castWithinBounds(sent.Value, sentType, declared, present);
  return definition.required ? { message: 'It is required and may not be null.' } : { type: declared, value: null };
}

function bindOmitted(definition: ParameterDefinition, declared: SqlType, present: Present): Bound {
  if (definition.default !== undefined) return castWithinBounds(definition.default, declared, declared, present);
  return definition.required ? { message: 'It is required. Send a value for it.' } : { type: declared, value: null };
}

/** Where only the form of a value is checked. */
const anyPresent: Present = { now: Date.UTC(2026, 0, 1), zone: UTC };

function castWithinBounds(text: string, sent: SqlType, declared: SqlType, present: Present): Bound {
  if (Buffer.byteLength(text) > largestValueBytes) return { message: 'The value is longer than 32 KiB.' };
  const expression = isMoment(sent.name) ? relativeMoment(text) : null;
  if (expression !== null && isMoment(sent.name)) {
    const evaluated = evaluate(expression, sent.name, present);
    const cast = evaluated.ok ? castTo(evaluated.value, sent, declared) : evaluated;
    return cast.ok ? { type: declared, value: cast.value, expression } : { message: cast.message };
  }
  const cast = castTo(text, sent, declared);
  return cast.ok ? { type: declared, value: cast.value } : { message: cast.message };
}

const isMoment = (name: SqlType['name']): name is MomentType =>
  name === 'date' || name === 'datetime' || name === 'datetimeoffset';

/** The type to cast a value to before it must fit the declared one: callers send text types, and `int` for a bit, as hints. */
function typeToCast(hinted: SqlType, declared: SqlType): SqlType | null {
  if (familyOf(hinted) === familyOf(declared)) return hinted;
  return hinted.name === 'text' || (hinted.name === 'integer' && declared.name === 'bit') ? declared : null;
}

interface MatchedNames {
  readonly byName: ReadonlyMap<string, SentParameter>; // by declared name
  readonly misspelled: readonly string[]; // declared names that unknown ones resemble
  readonly problems: FieldProblem[];
}

function matchNames(declared: readonly ParameterDefinition[], sent: readonly SentParameter[]): MatchedNames {
  const byName = new Map<string, SentParameter>();
  const misspelled: string[] = [];
  const problems: FieldProblem[] = [];
  for (const parameter of sent) {
    const { ParameterName: sentName } = parameter;
    const [name, ...others] = declaredNames(declared, sentName);
    if (name === undefined) {
      const known = declared.map((each) => each.name);
      const closest = closestName(sentName, known);
      if (closest !== undefined) misspelled.push(closest);
      problems.push(unknown(sentName, known.length === 0 ? 'It takes none.' : suggestion(sentName, known)));
    } else if (others.length > 0) {
      problems.push(unknown(sentName, `Write ${[name, ...others].join(' or ')} exactly.`));
    } else if (byName.has(name)) {
      problems.push(invalid(name, 'It is sent twice. Send it once.'));
    } else {
      byName.set(name, parameter);
    }
  }
  return { byName, misspelled, problems };
}

/** Case and the `@` may differ; several names if that is ambiguous. */
function declaredNames(declared: readonly ParameterDefinition[], sent: string): readonly string[] {
  if (declared.some(({ name }) => name === sent)) return [sent];
  const named = sent.startsWith('@') ? sent : `@${sent}`;
  if (declared.some(({ name }) => name === named)) return [named];
  const folded = named.toLowerCase();
  return declared.flatMap(({ name }) => (name.toLowerCase() === folded ? [name] : []));
}

const unknown = (sent: string, advice: string): FieldProblem => ({
  kind: 'ParameterUnknown',
  field: sent.slice(0, 128),
  message: `The query has no parameter ${shownName(sent)}. ${advice}`,
});

const invalid = (field: string, message: string): FieldProblem => ({ kind: 'ParameterInvalid', field, message });

const unknownType = (spelling: string): string =>
  `The data type ${quote(spelling)} is not known. Use a SQL type such as nvarchar(50), int, decimal(12,2), datetime or bit.`;

const refusedWith = (problems: readonly FieldProblem[]) => failed(inputRefused(problems));
