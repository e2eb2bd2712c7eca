import { chartTypes } from './chart-config.ts';
import { notes } from './notes.ts';
import { addUp, type Point, sumOf, type ValuedPoint, valued } from './points.ts';
import type { Message, Scene } from './scene.ts';

/** One value for each label, and what to say about how they came about. */
export interface LabelledValues<P extends Point = Point> {
  readonly points: readonly P[];
  readonly notes: readonly string[];
}

export function addedUp({ points, formats, label }: Scene): LabelledValues {
  const { points: added, shared } = addUp(points.rows);
  return { points: added, notes: shared > 0 ? [notes.addedUp(formats.count(shared), label)] : [] };
}

/** The same, without labels that have no value. */
export function addedUpWithValues(scene: Scene): LabelledValues<ValuedPoint> {
  const { points, notes: said } = addedUp(scene);
  const { missing } = scene.points;
  return { points: valued(points), notes: missing > 0 ? [...said, notes.missing(missing, scene.data)] : said };
}

export interface Parts extends LabelledValues<ValuedPoint> {
  readonly others: ValuedPoint | null; // one of the points, if small ones were put together
}

/** What a whole is made of: values above zero, at most so many. Of the smaller ones their share decides whether they are put together or left out. */
export function partsOfWhole(scene: Scene, most: number, putTogether: (share: number) => boolean): Parts {
  const { points, notes: said } = addedUpWithValues(scene);
  const parts = points.filter(({ value }) => value > 0);
  const negative = points.filter(({ value }) => value < 0).length;
  const soFar = negative > 0 ? [...said, notes.negatives(negative)] : said;
  if (parts.length <= most) return { points: parts, notes: soFar, others: null };

  const { formats } = scene;
  const sorted = parts.toSorted((a, b) => b.value - a.value);
  const total = sumOf(sorted);
  const small = sorted.slice(most - 1);
  const smallTotal = sumOf(small);
  if (!putTogether(smallTotal / total)) {
    const largest = sorted.slice(0, most);
    const note = notes.largest(most, formats.count(parts.length), formats.share(sumOf(largest), total));
    return { points: largest, notes: [...soFar, note], others: null };
  }
  const others: ValuedPoint = { label: `Other (${formats.count(small.length)})`, at: null, x: null, value: smallTotal };
  const note = notes.grouped(most - 1, formats.count(small.length), formats.share(smallTotal, total));
  const hint = smallTotal > total / 2 ? [notes.betterAsBars] : [];
  return { points: [...sorted.slice(0, most - 1), others], notes: [...soFar, note, ...hint], others };
}

export const nothingAboveZero = ({ config }: Scene): Message => ({
  head: 'Nothing to draw',
  advice: `A ${chartTypes.find(({ type }) => type === config.chartType)?.name.toLowerCase()} needs values above zero. Try a bar chart.`,
});
