import { Bytes } from './bytes.ts';
import { SqlFailure } from './failure.ts';
import { wireType } from './types.ts';

/** A value as the server prints it, with its type, such as `decimal(12,2)`. */
export interface Value {
  readonly type: string;
  readonly text: string | null;
}

export type Variables = ReadonlyMap<string, Value>;

/** Evaluates literals, variables, CAST, CONCAT and one CASE. Returns undefined for anything else. */
export function evaluate(sql: string, variables: Variables): Value | undefined {
  const text = sql.trim();
  if (/^NULL$/i.test(text)) return { type: 'int', text: null };
  if (/^-?\d+$/.test(text)) return { type: 'int', text };
  if (/^-?\d+\.\d+$/.test(text)) return toNumeric(text);
  if (/^0x[0-9a-f]*$/i.test(text)) return { type: `varbinary(${Math.max(1, (text.length - 2) / 2)})`, text };
  const string = /^(N?)'((?:[^']|'')*)'$/i.exec(text);
  if (string !== null) {
    const content = (string[2] ?? '').replaceAll("''", "'");
    return { type: `${string[1] === '' ? '' : 'n'}varchar(${Math.max(1, content.length)})`, text: content };
  }
  if (/^@\w+$/.test(text)) return variables.get(text.toLowerCase());
  const isNull = /^CASE WHEN (@\w+|CAST\(@\w+ AS [\w(),]+\)) IS NULL THEN 1 ELSE 0 END$/i.exec(text);
  if (isNull !== null) return { type: 'int', text: evaluate(isNull[1] ?? '', variables)?.text === null ? '1' : '0' };
  const concat = /^CONCAT\(([^,]+),([^,]+)\)$/i.exec(text);
  if (concat !== null) {
    const parts = concat.slice(1).map((part) => evaluate(part, variables)?.text ?? '');
    return { type: 'nvarchar(4000)', text: parts.join('') };
  }
  const cast = /^CAST\((.*) AS ([\w]+(?:\([\w,]+\))?)\)( COLLATE \w+_UTF8)?$/is.exec(text);
  if (cast === null) return undefined;
  const inner = evaluate(cast[1] ?? '', variables);
  return inner && convert(inner, cast[3] === undefined ? (cast[2] ?? '') : 'utf8(30)');
}

/** Splits a select list into expressions with their names. */
export function parseSelectList(sql: string): { expression: string; name: string }[] | undefined {
  const list = /^\s*SELECT\s+(.*)$/is.exec(sql)?.[1];
  if (list === undefined) return undefined;
  const items = splitAtCommas(list).map((item) => /^(.*?)(?:\s+AS\s+(\w+))?\s*$/is.exec(item));
  return items.map((item) => ({ expression: item?.[1] ?? '', name: item?.[2] ?? '' }));
}

function toNumeric(text: string): Value {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  return { type: `numeric(${whole.length + fraction.length},${fraction.length})`, text };
}

function convert({ type: from, text }: Value, to: string): Value {
  if (to.toLowerCase() === 'sql_variant') {
    const [kind = ''] = from.split('(');
    return { type: to, text: text === null ? null : `${kind === 'numeric' ? 'decimal' : kind}:${text}` };
  }
  const type = wireType(to);
  try {
    if (text !== null) type.write(new Bytes(), text);
  } catch {
    const message = `Conversion failed when converting the ${from.split('(')[0]} value '${text}' to data type ${to}.`;
    throw new SqlFailure({ number: 245, message });
  }
  return { type: to.startsWith('utf8') ? to : type.spelling, text };
}

function splitAtCommas(list: string): string[] {
  const items: string[] = [''];
  let depth = 0;
  let quoted = false;
  for (const char of list) {
    if (char === "'") quoted = !quoted;
    if (!quoted && char === '(') depth++;
    if (!quoted && char === ')') depth--;
    if (!quoted && depth === 0 && char === ',') items.push('');
    else items.push((items.pop() ?? '') + char);
  }
  return items;
}
