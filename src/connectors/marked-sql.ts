import { renderPlaceholders } from '../catalog/placeholders.ts';
import type { SqlDialect } from '../catalog/sql-dialect.ts';

/** An author's text with an engine's placeholders instead of `@Name`, and the mapping back to the author's text. */
export interface MarkedSql {
  readonly source: string;
  readonly sql: string;
  readonly names: readonly string[]; // one for each mark
  /** Maps a line and column (from 1) of the marked text to the author's text; beyond its end, to the end. */
  sourcePosition(line: number, column: number): { line: number; column: number };
}

export function markSql(
  source: string,
  dialect: SqlDialect,
  declared: readonly string[],
  markOf: (name: string, occurrence: number) => string,
): MarkedSql {
  const shifts: { start: number; name: number; mark: number }[] = [];
  const { sql, occurrences } = renderPlaceholders(source, dialect, declared, (name, occurrence, start) => {
    const mark = markOf(name, occurrence);
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

  return {
    source,
    sql,
    names: occurrences,
    sourcePosition(line, column) {
      const lines = source.slice(0, sourceOffset(offsetOf(sql, line, column))).split('\n');
      return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
    },
  };
}

/** Columns count characters, offsets UTF-16 units. */
function offsetOf(sql: string, line: number, column: number): number {
  const lines = sql.split('\n');
  if (line > lines.length) return sql.length;
  const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  const characters = [...(lines[line - 1] ?? '')];
  return before + characters.slice(0, column - 1).join('').length;
}
