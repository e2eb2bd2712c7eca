import type { FieldProblem } from '../errors.ts';

const longest = 128;

export const isParameterName = (name: string): boolean => name.length <= longest && /^@[\p{L}_][\p{L}\p{M}\p{N}_]*$/u.test(name);

/** For authors: every name has the form that the SQL can use, and none is declared twice. */
export function checkParameterNames(parameters: readonly { readonly name: string }[]): FieldProblem[] {
  const seen = new Set<string>();
  return parameters.flatMap(({ name }, index) => {
    const field = `parameters.${index}.name`;
    if (!isParameterName(name)) {
      return [
        { field, message: `Write @ and then letters, digits and underscores, ${longest} characters at most, as in @Region.` },
      ];
    }
    if (seen.has(name)) return [{ field, message: `${name} is declared twice. Remove one of them.` }];
    seen.add(name);
    return [];
  });
}
