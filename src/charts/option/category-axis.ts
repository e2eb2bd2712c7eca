import { isNarrow, type Option, type Scene } from '../scene.ts';
import { fitText, textWidth } from '../text-width.ts';
import { labelSize, valueLabelWidth } from './axes.ts';
import type { Frame } from './frame.ts';

const alwaysShown = 5; // labels; that many are never thinned out
const lineOfText = 14; // px

/**
 * Labels below the plot: side by side if they fit, wrapped if that helps, otherwise rotated and, if too long, cut. Only labels that do
 * not fit even when upright are thinned out, and so are times, because the omitted ones follow from their order.
 */
export function categoryAxis(
  scene: Scene,
  frame: Frame,
  labels: readonly string[],
  visible = labels.length,
  besideWidth = valueLabelWidth(scene),
): Option {
  const each = (frame.width - besideWidth) / Math.max(1, visible);
  const { turn, fit } = fitBelow(labels, each, frame.height);
  const isFlat = turn === 0 || (scene.labels === 'time' && labels.length > alwaysShown);
  const isThinned = turn === null || (isFlat && turn !== 0);
  return {
    ...buildBareCategoryAxis(scene, labels),
    axisLabel: {
      ...categoryLabel(scene),
      // a label that was measured to fit is not hidden: ECharts counts its margins as an overlap
      ...(isThinned ? {} : { interval: 0, hideOverlap: false }),
      ...(isFlat ? {} : { rotate: turn ?? 45 }),
      ...(isFlat && isThinned ? {} : { formatter: fit }),
    },
  };
}

/** Labels beside the plot, the first one on top. */
export function categoryAxisBeside(scene: Scene, frame: Frame, labels: readonly string[], visible: number): Option {
  const width = isNarrow(scene) ? scene.width * 0.42 : Math.min(scene.width * 0.36, 220);
  const lines = Math.max(1, Math.min(3, Math.floor((frame.height - 40) / visible / 15)));
  return {
    ...buildBareCategoryAxis(scene, labels),
    inverse: true,
    axisLabel: {
      ...categoryLabel(scene),
      interval: 0,
      hideOverlap: false, // there is room for each
      formatter: (label: string) => fitText(label, width, lines, labelSize),
    },
  };
}

export const categoryLabel = ({ theme }: Scene): Option => ({
  color: theme.muted,
  fontSize: labelSize,
  lineHeight: 14,
  margin: 10,
  hideOverlap: true,
});

const buildBareCategoryAxis = ({ theme }: Scene, labels: readonly string[]): Option => ({
  type: 'category',
  data: labels,
  axisTick: { show: false },
  axisLine: { lineStyle: { color: theme.axis } },
  splitLine: { show: false },
});

interface LabelFit {
  readonly turn: number | null; // degrees; null if not even upright labels fit
  readonly fit: (label: string) => string;
}

/** How labels with this room for each are shown. */
function fitBelow(labels: readonly string[], each: number, plotHeight: number): LabelFit {
  const looked = labels.slice(0, 400);
  const measureWidest = (texts: readonly string[]) => texts.reduce((most, text) => Math.max(most, textWidth(text, labelSize)), 0);
  if (measureWidest(looked) + 8 <= each) return { turn: 0, fit: (label) => label };
  const lines = plotHeight < 160 ? 2 : 3;
  const fit = (label: string): string => fitText(label, each - 8, lines, labelSize);
  const isWhole = (label: string): boolean => !fit(label).endsWith('…');
  const keepsWords = measureWidest(looked.flatMap((label) => label.split(/\s+/))) + 8 <= each;
  if (each >= 84 || (keepsWords && looked.every(isWhole))) return { turn: 0, fit };
  const turn = [30, 45, 90].find((angle) => each * sine(angle) >= lineOfText) ?? null;
  const longest = Math.min(145, (plotHeight * 0.4) / sine(turn ?? 45));
  return { turn, fit: (label) => fitText(label, longest, 1, labelSize) };
}

const sine = (degrees: number): number => Math.sin((degrees * Math.PI) / 180);
