import { chartTypeName } from '../core/chart-config.ts';
import { notes } from './notes.ts';
import { aggregatePoints, type Point, sortPoints, sumOf, type ValuedPoint, pointsWithValue } from './points.ts';
import type { Message, Scene } from './scene.ts';

/** One value per label, and notes about how they were derived. */
export interface LabelledValues<P extends Point = Point> {
  readonly points: readonly P[];
  readonly notes: readonly string[];
}

/** Aggregated and sorted as configured. */
function combineValues({ config, points, formats, label }: Scene): LabelledValues {
  const { points: single, shared } = aggregatePoints(points, config.aggregate);
  return {
    points: sortPoints(single, config.sortBy),
    notes: shared > 0 ? notes.aggregated(config.aggregate, formats.count(shared), label) : [],
  };
}

/** The same without labels that have no value. */
function combinePresentValues(scene: Scene): LabelledValues<ValuedPoint> {
  const { points, notes: said } = combineValues(scene);
  return { points: pointsWithValue(points), notes: [...said, ...missingNotes(scene)] };
}

export const missingNotes = ({ missing, data }: Scene): readonly string[] => (missing > 0 ? [notes.missing(missing, data)] : []);

export interface Parts extends LabelledValues<ValuedPoint> {
  readonly others: ValuedPoint | null; // the point that groups small values, if any
}

/**
 * The positive values as parts of a whole, limited in number. `isGrouped` decides by their share whether smaller ones are
 * grouped or left out.
 */
export function partsOfWhole(scene: Scene, max: number, isGrouped: (share: number) => boolean): Parts {
  const { points, notes: said } = combinePresentValues(scene);
  const parts = points.filter(({ value }) => value > 0);
  const negative = points.filter(({ value }) => value < 0).length;
  const soFar = negative > 0 ? [...said, notes.negatives(negative)] : said;
  if (parts.length <= max) return { points: parts, notes: soFar, others: null };

  const { formats } = scene;
  const sorted = parts.toSorted((a, b) => b.value - a.value);
  const total = sumOf(sorted);
  const small = sorted.slice(max - 1);
  const smallTotal = sumOf(small);
  if (!isGrouped(smallTotal / total)) {
    const largest = sorted.slice(0, max);
    const note = notes.largest(max, formats.count(parts.length), formats.share(sumOf(largest), total));
    return { points: largest, notes: [...soFar, note], others: null };
  }
  const others: ValuedPoint = { label: `Other (${formats.count(small.length)})`, at: null, x: null, value: smallTotal };
  const note = notes.grouped(max - 1, formats.count(small.length), formats.share(smallTotal, total));
  const hint = smallTotal > total / 2 ? [notes.betterAsBars] : [];
  return { points: [...sorted.slice(0, max - 1), others], notes: [...soFar, note, ...hint], others };
}

export const nothingAboveZeroMessage = ({ config }: Scene): Message => ({
  head: 'Nothing to draw',
  advice: `A ${chartTypeName(config.chartType).toLowerCase()} needs values above zero. Try a bar chart.`,
});
