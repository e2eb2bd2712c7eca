import { type Failure, type FieldProblem, failed, inputRefused, type Result, succeeded } from '../core/errors.ts';
import type { BoundParameter } from '../core/sql-value.ts';
import type { CallerIdentity } from './caller-identity.ts';
import { findClosestName, quoteName, suggestion } from './closest-name.ts';
import { bindOne, bindToCaller, maxParameters, type SentParameter } from './parameter-value.ts';
import type { ParameterDefinition } from './query.ts';
import type { Clock } from './relative-moment.ts';

export type { SentParameter, SentValue } from './parameter-value.ts';

/** The caller and the time of the call. */
export interface BindContext {
  /** Null leaves out the parameters that are bound to the caller: they were bound when the query ran. */
  readonly caller: CallerIdentity | null;
  readonly clock: Clock;
}

/** The values to bind, in declared order; or all problems of the call at once. */
export function bindParameters(
  declared: readonly ParameterDefinition[],
  sent: readonly SentParameter[],
  { caller, clock }: BindContext,
): Result<readonly BoundParameter[]> {
  if (sent.length > maxParameters) {
    return failWith([invalidProblem('Parameters', `At most ${maxParameters} parameters may be sent, not ${sent.length}.`)]);
  }
  const { byName, misspelled, problems } = matchNames(declared, sent);
  const values: BoundParameter[] = [];
  let refusal: Failure | null = null;
  for (const definition of declared) {
    const { name } = definition;
    if (isBound(definition)) {
      const bound = caller === null ? null : bindToCaller(definition, caller, clock);
      if (bound === null) continue;
      if (!('problem' in bound)) values.push({ name, ...bound });
      else
        refusal ??= {
          kind: bound.problem,
          source: definition.boundTo,
          ...(bound.message === undefined ? {} : { reason: bound.message }),
        };
      continue;
    }
    const given = byName.get(name);
    const bound = bindOne(definition, given, clock);
    if (!('message' in bound)) values.push({ name, ...bound });
    else if (given !== undefined || !misspelled.includes(name)) problems.push(invalidProblem(name, bound.message));
  }
  if (problems.length > 0) return failWith(problems);
  return refusal === null ? succeeded(values) : failed(refusal);
}

export const isBound = (definition: ParameterDefinition): definition is ParameterDefinition & { readonly boundTo: string } =>
  definition.boundTo !== undefined;

/** The parameters that callers may send. Others are never shown to them. */
export const sendableParameters = (declared: readonly ParameterDefinition[]): readonly ParameterDefinition[] =>
  declared.some(isBound) ? declared.filter((each) => !isBound(each)) : declared;

/** Undefined if there is none, or if several match. */
export function findDeclaredName(declared: readonly ParameterDefinition[], sent: string): string | undefined {
  const [name, another] = findDeclaredNames(declared, sent);
  return another === undefined ? name : undefined;
}

/** The parameters under their declared names. Those of other names are left as they are. */
export const withDeclaredNames = (
  declared: readonly ParameterDefinition[],
  sent: readonly SentParameter[],
): readonly SentParameter[] =>
  sent.map((each) => {
    const name = findDeclaredName(declared, each.ParameterName);
    return name === undefined ? each : { ...each, ParameterName: name };
  });

interface MatchedNames {
  readonly byName: ReadonlyMap<string, SentParameter>; // by declared name
  readonly misspelled: readonly string[]; // declared names that unknown ones resemble
  readonly problems: FieldProblem[];
}

function matchNames(declared: readonly ParameterDefinition[], sent: readonly SentParameter[]): MatchedNames {
  const byName = new Map<string, SentParameter>();
  const misspelled: string[] = [];
  const problems: FieldProblem[] = [];
  const bound = new Set(declared.filter(isBound).map(({ name }) => name));
  for (const parameter of sent) {
    const { ParameterName: sentName } = parameter;
    const [name, ...others] = findDeclaredNames(declared, sentName);
    if (name === undefined) {
      const known = sendableParameters(declared).map((each) => each.name);
      const closest = findClosestName(sentName, known);
      if (closest !== undefined) misspelled.push(closest);
      problems.push(unknownProblem(sentName, known.length === 0 ? 'It takes none.' : suggestion(sentName, known)));
    } else if (others.length > 0) {
      problems.push(unknownProblem(sentName, `Write ${[name, ...others].join(' or ')} exactly.`));
    } else if (bound.has(name)) {
      problems.push({ kind: 'ParameterBound', field: sentName.slice(0, 128), message: BOUND });
    } else if (byName.has(name)) {
      problems.push(invalidProblem(name, 'It is sent twice. Send it once.'));
    } else {
      byName.set(name, parameter);
    }
  }
  return { byName, misspelled, problems };
}

/** Case and the `@` may differ; several names if that is ambiguous. */
function findDeclaredNames(declared: readonly ParameterDefinition[], sent: string): readonly string[] {
  if (declared.some(({ name }) => name === sent)) return [sent];
  const named = sent.startsWith('@') ? sent : `@${sent}`;
  if (declared.some(({ name }) => name === named)) return [named];
  const folded = named.toLowerCase();
  return declared.flatMap(({ name }) => (name.toLowerCase() === folded ? [name] : []));
}

const BOUND = 'Its value comes from the identity of the caller and cannot be sent. Leave it out.';

const unknownProblem = (sent: string, advice: string): FieldProblem => ({
  kind: 'ParameterUnknown',
  field: sent.slice(0, 128),
  message: `The query has no parameter ${quoteName(sent)}. ${advice}`,
});

const invalidProblem = (field: string, message: string): FieldProblem => ({ kind: 'ParameterInvalid', field, message });

const failWith = (problems: readonly FieldProblem[]) => failed(inputRefused(problems));
