import { chartTypeName } from '../core/chart-config.ts';
import { notes } from './notes.ts';
import { aggregatePoints, sortPoints, sumOf, type ValuedPoint, pointsWithValue } from './points.ts';
import type { Message, Scene } from './scene.ts';

export const missingNotes = ({ missing, data }: Scene): readonly string[] => (missing > 0 ? [notes.missing(missing, data)] : []);

/**
 * The positive values as parts of a whole, limited in number. `isGrouped` decides by their share whether smaller ones are
 * grouped, as `others`, or left out.
 */
export function partsOfWhole(scene: Scene, max: number, isGrouped: (share: number) => boolean) {
  const { config, formats, label } = scene;
  const { points: single, shared } = aggregatePoints(scene.points, config.aggregate);
  const points = pointsWithValue(sortPoints(single, config.sortBy));
  const parts = points.filter(({ value }) => value > 0);
  const negative = points.filter(({ value }) => value < 0).length;
  const soFar = [
    ...(shared > 0 ? notes.aggregated(config.aggregate, formats.count(shared), label) : []),
    ...missingNotes(scene),
    ...(negative > 0 ? [notes.negatives(negative)] : []),
  ];
  if (parts.length <= max) return { points: parts, notes: soFar, others: null };

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
