import { definedFields } from '../core/defined-fields.ts';
import type { FieldProblem } from '../core/errors.ts';
import { callerFields, isCallerSource } from './caller-identity.ts';
import { quote } from './cast/cast-result.ts';
import { canonicalize } from './closed-values.ts';
import { castDefault, maxParameters, describeUnknownType } from './parameter-value.ts';
import type { ParameterDefinition } from './query.ts';
import { parseSqlType } from './sql-type.ts';

const longestName = 128;

/** Problems of the declarations for their author, by body path. */
export function checkParameterDefinitions(parameters: readonly ParameterDefinition[]): FieldProblem[] {
  if (parameters.length > maxParameters) {
    return [{ field: 'parameters', message: `A query may have at most ${maxParameters} parameters, not ${parameters.length}.` }];
  }
  const problems = checkParameterNames(parameters);
  parameters.forEach((parameter, index) => {
    const type = parseSqlType(parameter.dataType);
    if (type === null) {
      problems.push({ field: `parameters.${index}.dataType`, message: describeUnknownType(parameter.dataType) });
      return;
    }
    problems.push(...checkValueSource(parameter, index));
    const misfit = parameter.values?.find((each) => canonicalize(each, type) === null);
    if (misfit !== undefined)
      problems.push({
        field: `parameters.${index}.values`,
        message: `${quote(misfit)} is not a value of ${parameter.dataType}.`,
      });
    if (parameter.default === undefined) return;
    const cast = castDefault(parameter, parameter.default, type);
    if ('message' in cast) problems.push({ field: `parameters.${index}.default`, message: cast.message });
  });
  return problems;
}

function checkValueSource(
  { boundTo, default: fallback, values, valuesOpen, choices, choicesOnly }: ParameterDefinition,
  index: number,
): FieldProblem[] {
  if (choicesOnly === true && choices === undefined)
    return [{ field: `parameters.${index}.choicesOnly`, message: 'It needs choices.' }];
  if (valuesOpen === true && values === undefined)
    return [{ field: `parameters.${index}.valuesOpen`, message: 'It needs values.' }];
  if (boundTo === undefined) return [];
  if (!isCallerSource(boundTo)) {
    const message = `Expected ${callerFields.join(', ')} or user.attributes.<name>.`;
    return [{ field: `parameters.${index}.boundTo`, message }];
  }
  const excluded = definedFields({ default: fallback, values, choices });
  return Object.keys(excluded).map((field) => ({
    field: `parameters.${index}.${field}`,
    message: 'A parameter that is bound to the caller cannot have it.',
  }));
}

const nameForm = /^@[\p{L}_][\p{L}\p{M}\p{N}_]*$/u;

/** Problems for the author: names that the SQL cannot use, and duplicates. */
export function checkParameterNames(parameters: readonly { readonly name: string }[]): FieldProblem[] {
  const seen = new Set<string>();
  return parameters.flatMap(({ name }, index) => {
    const field = `parameters.${index}.name`;
    if (name.length > longestName || !nameForm.test(name)) {
      const message = `Write @ and then letters, digits and underscores, ${longestName} characters at most, as in @Region.`;
      return [{ field, message }];
    }
    if (seen.has(name)) return [{ field, message: `${name} is declared twice. Remove one of them.` }];
    seen.add(name);
    return [];
  });
}
