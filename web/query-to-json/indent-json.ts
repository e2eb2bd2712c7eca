const tokens = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Indents JSON without parsing it, so that numbers keep all digits. */
export function indentJson(json: string): string {
  const out: string[] = [];
  let depth = 0;
  let before = '';
  const line = () => `\n${'  '.repeat(depth)}`;
  for (const [token] of json.matchAll(tokens)) {
    const closes = token === '}' || token === ']';
    const opened = before === '{' || before === '[';
    if (closes) depth--;
    if (closes ? !opened : opened || before === ',') out.push(line());
    out.push(token === ':' ? ': ' : token);
    if (token === '{' || token === '[') depth++;
    before = token;
  }
  return out.join('');
}
