import { failed, type FieldProblem, inputRefused, type Result, succeeded } from '../core/errors.ts';
import { BOUND, findDeclared, isBound, plainName, type SentParameter } from './parameter.ts';
import type { ParameterDefinition } from './query.ts';

/** The declared names of the parameters that an embed or a data link leaves open to those who use it. */
export function readOpen(declared: readonly ParameterDefinition[], sent: readonly string[]): Result<readonly string[]> {
  const problems: FieldProblem[] = [];
  const names = new Set<string>();
  for (const [index, each] of sent.entries()) {
    const field = `open.${index}`;
    const definition = findDeclared(declared, each);
    if (definition === undefined)
      problems.push({ kind: 'ParameterUnknown', field, message: `The query has no parameter ${each.slice(0, 128)}.` });
    else if (isBound(definition)) problems.push({ kind: 'ParameterBound', field, message: BOUND });
    else names.add(definition.name);
  }
  return problems.length === 0 ? succeeded([...names]) : failed(inputRefused(problems));
}

/** Values in an address under the names of open parameters; `what` takes no others. */
export function takeOpen(
  open: readonly string[],
  sent: readonly SentParameter[],
  what: 'link' | 'embed',
): Result<readonly SentParameter[]> {
  const problems: FieldProblem[] = [];
  const taken = sent.flatMap((each) => {
    const name = open.find((declared) => fold(declared) === fold(each.ParameterName));
    if (name !== undefined) return { ...each, ParameterName: name };
    const field = each.ParameterName.slice(0, 128);
    problems.push({ kind: 'ParameterUnknown', field, message: `The ${what} takes no parameter ${field}.` });
    return [];
  });
  return problems.length === 0 ? succeeded(taken) : failed(inputRefused(problems));
}

const fold = (name: string): string => plainName(name).toLowerCase();
