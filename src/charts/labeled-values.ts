import { chartTypeName } from '../core/chart-config.ts';
import { notes } from './notes.ts';
import { pointsWithValue, sortPoints, sumOf, type ValuedPoint } from './points.ts';
import type { Message, Scene } from './scene.ts';
import { nameOthers } from './summary/summarize.ts';

export const missingNotes = ({ missing, data }: Scene): readonly string[] => (missing > 0 ? [notes.missing(missing, data)] : []);

/**
 * The positive values as parts of a whole, limited in number. `isGrouped` decides by their share whether smaller ones are
 * grouped, as `others`, or left out.
 */
export function partsOfWhole(scene: Scene, max: number, isGrouped: (share: number) => boolean) {
  const { config, formats } = scene;
  const points = pointsWithValue(sortPoints(scene.points, config.sortBy));
  const parts = points.filter(({ value }) => value > 0);
  const negative = points.filter(({ value }) => value < 0).length;
  const soFar = [...missingNotes(scene), ...(negative > 0 ? [notes.negatives(negative)] : [])];
  const isOthers = ({ label }: ValuedPoint): boolean => label === scene.others?.label;
  if (parts.length <= max) return { points: parts, notes: soFar, others: parts.find(isOthers) ?? null };

  const largestFirst = parts.toSorted((a, b) => b.value - a.value);
  const sorted = [...largestFirst.filter((part) => !isOthers(part)), ...largestFirst.filter(isOthers)];
  const total = sumOf(sorted);
  const small = sorted.slice(max - 1);
  const smallTotal = sumOf(small);
  const smallLabels = small.reduce((sum, part) => sum + (isOthers(part) ? (scene.others?.labels ?? 1) : 1), 0);
  if (!isGrouped(smallTotal / total)) {
    const largest = sorted.slice(0, max);
    const labels = max - 1 + smallLabels;
    const note = notes.largest(max, labels, formats.share(sumOf(largest), total));
    return { points: largest, notes: [...soFar, note], others: null };
  }
  const others: ValuedPoint = { label: nameOthers(smallLabels), at: null, x: null, value: smallTotal };
  const note = notes.grouped(max - 1, smallLabels, formats.share(smallTotal, total));
  const hint = smallTotal > total / 2 ? [notes.betterAsBars] : [];
  return { points: [...sorted.slice(0, max - 1), others], notes: [...soFar, note, ...hint], others };
}

export const nothingAboveZeroMessage = ({ config }: Scene): Message => ({
  head: 'Nothing to draw',
  advice: `A ${chartTypeName(config.chartType).toLowerCase()} needs values above zero. Try a bar chart.`,
});
