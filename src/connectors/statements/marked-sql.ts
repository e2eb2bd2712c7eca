import { renderPlaceholders } from '../../catalog/placeholders.ts';
import type { SqlDialect } from '../../catalog/sql-dialect.ts';
import { positionAt } from '../../catalog/sql-tokens.ts';
import type { Position } from '../connector.ts';

/** An author's text with an engine's placeholders instead of `@Name`, and the mapping back to the author's text. */
export interface MarkedSql {
  readonly source: string;
  readonly sql: string;
  /** Maps an offset in the marked text to the author's text; beyond its end, to the end. */
  readonly positionOf: (offset: number) => Position;
}

/** `markOf` gets the index of the parameter in `used`, and the offset of its name. */
export function markSql<Parameter extends { readonly name: string }>(
  source: string,
  dialect: SqlDialect,
  declared: readonly Parameter[],
  markOf: (parameter: Parameter, index: number, start: number) => string,
): MarkedSql & { readonly marked: readonly Parameter[]; readonly used: readonly Parameter[] } {
  const byName = new Map(declared.map((parameter) => [parameter.name, parameter]));
  const marked: Parameter[] = []; // one for each mark
  const used = new Map<Parameter, number>(); // distinct, with their index
  const shifts: { start: number; name: number; mark: number }[] = [];
  const sql = renderPlaceholders(source, dialect, byName, (parameter, { start, text }) => {
    const index = used.get(parameter) ?? used.size;
    used.set(parameter, index);
    const mark = markOf(parameter, index, start);
    marked.push(parameter);
    shifts.push({ start, name: text.length, mark: mark.length });
    return mark;
  });

  function sourceOffset(offset: number): number {
    let grown = 0;
    for (const { start, name, mark } of shifts) {
      if (offset < start + grown) break;
      if (offset < start + grown + mark) return start;
      grown += mark - name;
    }
    return Math.min(offset - grown, source.length);
  }

  return { source, sql, marked, used: [...used.keys()], positionOf: (offset) => positionAt(source, sourceOffset(offset)) };
}

/** The inverse of `positionAt`; beyond the last line, the end. */
export function offsetAt(text: string, { line, column }: Position): number {
  const lines = text.split('\n');
  if (line > lines.length) return text.length;
  const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  const characters = [...(lines[line - 1] ?? '')];
  return before + characters.slice(0, column - 1).join('').length;
}
