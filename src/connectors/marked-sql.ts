import { renderPlaceholders } from '../catalog/placeholders.ts';
import type { SqlDialect } from '../catalog/sql-dialect.ts';
import type { Position } from './connector.ts';

/** An author's text with an engine's placeholders instead of `@Name`, and the mapping back to the author's text. */
export interface MarkedSql {
  readonly source: string;
  readonly sql: string;
  readonly names: readonly string[]; // one for each mark
  /** Maps an offset in the marked text to the author's text; beyond its end, to the end. */
  readonly positionOf: (offset: number) => Position;
}

export function markSql(
  source: string,
  dialect: SqlDialect,
  declared: readonly string[],
  markOf: (name: string, start: number) => string,
): MarkedSql {
  const shifts: { start: number; name: number; mark: number }[] = [];
  const { sql, occurrences } = renderPlaceholders(source, dialect, declared, (name, _occurrence, start) => {
    const mark = markOf(name, start);
    shifts.push({ start, name: name.length, mark: mark.length });
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

  return { source, sql, names: occurrences, positionOf: (offset) => positionAt(source, sourceOffset(offset)) };
}

/** Columns count characters, offsets UTF-16 units. */
export function positionAt(text: string, offset: number): Position {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
}

/** The inverse; beyond the last line, the end. */
export function offsetAt(text: string, { line, column }: Position): number {
  const lines = text.split('\n');
  if (line > lines.length) return text.length;
  const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  const characters = [...(lines[line - 1] ?? '')];
  return before + characters.slice(0, column - 1).join('').length;
}
