/** Duplicate names in the object `field` of the outermost object; JSON.parse silently keeps the last. `json` must be valid. */
export function repeatedNames(json: string, field: string): readonly string[] {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;
  let depth = 0;
  let isName = false; // whether the next string is a name
  let within = ''; // the current name in the outermost object
  const arrays: boolean[] = [];
  for (const [token] of json.matchAll(tokens)) {
    if (token === '{' || token === '[') {
      arrays[++depth] = token === '[';
      isName = token === '{';
      if (depth === 2) seen.clear();
    } else if (token === '}' || token === ']') {
      depth--;
      isName = false;
    } else if (token === ',') {
      isName = arrays[depth] === false;
    } else if (token !== ':' && isName) {
      isName = false;
      const name: string = JSON.parse(token);
      if (depth === 1) within = name;
      else if (depth === 2 && within === field && seen.has(name)) repeated.add(name);
      else if (depth === 2) seen.add(name);
    }
  }
  return [...repeated];
}
