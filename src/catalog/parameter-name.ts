import type { FieldProblem } from '../errors.ts';

const longest = 128;

export const isParameterName = (name: string): boolean => name.length <= longest && /^@[\p{L}_][\p{L}\p{M}\p{N}_]*$/u.test(name);

/** Problems for the author: names that the SQL cannot use, and duplicates. */
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
