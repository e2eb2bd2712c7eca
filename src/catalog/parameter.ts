import { type FieldProblem, failed, inputRefused, type Result, succeeded } from '../errors.ts';
import type { BoundParameter } from '../sql-value.ts';
import { closestName, shownName, suggestion } from './closest-name.ts';
import { bindOne, maxParameters, type SentParameter } from './parameter-value.ts';
import type { ParameterDefinition } from './query.ts';
import type { Present } from './relative-moment.ts';

export type { SentParameter, SentValue } from './parameter-value.ts';

/** The values to bind, in declared order; or all problems of the call at once. */
export function bindParameters(
  declared: readonly ParameterDefinition[],
  sent: readonly SentParameter[],
  present: Present,
): Result<readonly BoundParameter[]> {
  if (sent.length > maxParameters) {
    return refusedWith([invalid('Parameters', `At most ${maxParameters} parameters may be sent, not ${sent.length}.`)]);
  }
  const { byName, misspelled, problems } = matchNames(declared, sent);
  const values: BoundParameter[] = [];
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

const refusedWith = (problems: readonly FieldProblem[]) => failed(inputRefused(problems));
