import type { Formats } from '../formats.ts';
import { notes } from '../notes.ts';
import { distinct, extentOf, type Point } from '../points.ts';
import type { Scene } from '../scene.ts';

export interface Cell {
  readonly column: number;
  readonly line: number;
  readonly value: number | null;
  readonly label: string;
}

export interface Cells {
  readonly cells: readonly Cell[];
  readonly columns: readonly string[]; // from left to right
  readonly lines: readonly string[]; // from top to bottom
  readonly tiles: boolean; // positions carry no meaning
  readonly notes: readonly string[];
}

const day = 86_400_000;
const maxTiles = 600;
const maxLines = 40;
const maxInLine = 60;

/** Maps one label column to two axes: dates form a calendar, repeated labels one line each, anything else tiles. */
export function cellsOf(scene: Scene, aspect: number): Cells {
  const { rows, labels } = scene.points;
  if (labels === 'time') {
    const dated = rows.filter((point): point is DatedPoint => point.at !== null && point.value !== null);
    const days = new Set(dated.map(({ at }) => Math.floor(at / day)));
    if (days.size > 14) {
      const { low, high } = extentOf(days);
      return high - low > 400 ? monthsByYears(scene.formats, dated) : weekdaysByWeeks(scene.formats, dated);
    }
  }
  const names = [...new Set(rows.map(({ label }) => label))];
  return names.length < rows.length ? rowsOfLabels(scene, names) : asTiles(scene, aspect);
}

interface DatedPoint extends Point {
  readonly at: number;
  readonly value: number;
}

function weekdaysByWeeks(formats: Formats, points: readonly DatedPoint[]): Cells {
  const placed = points.map((point) => {
    const days = Math.floor(point.at / day);
    const weekday = (((days + 3) % 7) + 7) % 7; // 1 January 1970 was a Thursday; weeks start on Monday
    return { point, weekday, monday: days - weekday };
  });
  const { low, high } = extentOf(placed.map(({ monday }) => monday));
  const weeks = Array.from({ length: (high - low) / 7 + 1 }, (_, index) => low + index * 7);
  const found = placed.map(({ point, weekday, monday }) => ({
    column: (monday - low) / 7,
    line: weekday,
    value: point.value,
    label: formats.moment(Math.floor(point.at / day) * day, 'day'),
  }));
  return {
    ...together(found, 'day'),
    columns: distinct(weeks.map((monday) => formats.monthDay(monday * day))),
    lines: Array.from({ length: 7 }, (_, index) => formats.weekday((index + 4) * day)),
    tiles: false,
  };
}

function monthsByYears(formats: Formats, points: readonly DatedPoint[]): Cells {
  const { low, high } = extentOf(points.map(({ at }) => new Date(at).getUTCFullYear()));
  const found = points.map(({ at, value }) => {
    const date = new Date(at);
    return {
      column: date.getUTCMonth(),
      line: date.getUTCFullYear() - low,
      value,
      label: formats.monthOfYear(at),
    };
  });
  return {
    ...together(found, 'month'),
    columns: Array.from({ length: 12 }, (_, index) => formats.month(Date.UTC(2024, index, 1))),
    lines: Array.from({ length: high - low + 1 }, (_, index) => String(low + index)),
    tiles: false,
  };
}

/** The nth row of a label becomes the nth cell of its line. */
function rowsOfLabels({ points, formats }: Scene, names: readonly string[]): Cells {
  const lines = names.slice(0, maxLines);
  const lineOf = new Map(lines.map((name, index) => [name, index]));
  const filled = lines.map(() => 0);
  const cells: Cell[] = [];
  let longer = 0;
  for (const { label, value } of points.rows) {
    const line = lineOf.get(label);
    if (line === undefined) continue;
    const column = filled[line] ?? 0;
    filled[line] = column + 1;
    if (column < maxInLine) cells.push({ column, line, value, label: `${label} · row ${formats.count(column + 1)}` });
    else longer = Math.max(longer, column + 1);
  }
  const columns = extentOf(cells.map(({ column }) => column)).high + 1;
  return {
    cells,
    columns: Array.from({ length: columns }, (_, index) => String(index + 1)),
    lines,
    tiles: false,
    notes: [
      ...(names.length > maxLines ? [notes.first(maxLines, formats.count(names.length), 'labels')] : []),
      ...(longer > 0 ? [notes.firstOfEach(maxInLine, formats.count(longer))] : []),
    ],
  };
}

function asTiles({ points, formats }: Scene, aspect: number): Cells {
  const shown = points.rows.slice(0, maxTiles);
  const wide = shown.length <= 6 ? shown.length : Math.ceil(Math.sqrt((shown.length * aspect) / 1.6));
  const columns = Math.max(1, Math.min(shown.length, wide));
  const indexes = (count: number) => Array.from({ length: count }, (_, index) => String(index));
  return {
    cells: shown.map(({ label, value }, index) => ({ column: index % columns, line: Math.floor(index / columns), value, label })),
    columns: indexes(columns),
    lines: indexes(Math.ceil(shown.length / columns)),
    tiles: true,
    notes: points.rows.length > maxTiles ? [notes.first(maxTiles, formats.count(points.rows.length), 'rows')] : [],
  };
}

function together(found: readonly (Cell & { readonly value: number })[], unit: 'day' | 'month'): Pick<Cells, 'cells' | 'notes'> {
  const cells = new Map<string, Cell & { value: number }>();
  for (const cell of found) {
    const key = `${cell.column}/${cell.line}`;
    const before = cells.get(key);
    if (before) before.value += cell.value;
    else cells.set(key, { ...cell });
  }
  return { cells: [...cells.values()], notes: cells.size < found.length ? [notes.sameCell(unit)] : [] };
}
