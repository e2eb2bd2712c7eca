import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Embed } from '../../access/share.ts';
import { type ChartPicture, DrawFailed } from '../../drawing/chart-drawer.ts';
import type { PictureSize, Theme, ViewedChart } from './embed-view.ts';

export type EmbedPictures = ReturnType<typeof createEmbedPictures>;

export interface KeptPicture {
  readonly chart: string; // its settings, as JSON
  readonly svg: string;
}

/** By the id of the embed. */
export interface PictureMemory {
  get(id: string): KeptPicture | undefined;
  set(id: string, kept: KeptPicture): void;
}

const MOST_WAITING = 60; // as many as a large dashboard has

/**
 * The pictures of embed pages. The last picture of each embed is kept longer than its rows: the list of embeds shows it, and must not run
 * queries. Only pictures that the issuer would see are kept, never those of a viewer.
 */
export function createEmbedPictures(kept: PictureMemory, countWaiting: () => number) {
  const keep = ({ embed: { id, chart: settings }, isOfIssuer }: Pick<ViewedChart, 'embed' | 'isOfIssuer'>, svg: string): void => {
    if (!isOfIssuer) return;
    const chart = JSON.stringify(settings);
    const before = kept.get(id);
    if (before?.svg !== svg || before.chart !== chart) kept.set(id, { chart, svg });
  };
  return {
    keep,
    /**
     * Null if many drawings wait, the picture is not cached, and the page can do without it because its script draws the chart. So no viewer
     * waits for the pictures of a whole dashboard.
     */
    async take(chart: ViewedChart, theme: Theme, size: PictureSize, mayOmit: boolean): Promise<ChartPicture | null> {
      const isBusy = mayOmit && countWaiting() >= MOST_WAITING;
      const drawing = chart.draw(theme, size).then((picture) => {
        keep(chart, picture.svg);
        return picture;
      });
      try {
        return await (isBusy ? Promise.race([drawing, nextTurn(null)]) : drawing);
      } catch (error) {
        if (mayOmit && error instanceof DrawFailed && error.reason === 'too busy') return null;
        throw error;
      }
    },
    /** The last picture as SVG, unless the chart was changed since. */
    find({ id, chart }: Pick<Embed, 'id' | 'chart'>): string | null {
      const found = kept.get(id);
      return found?.chart === JSON.stringify(chart) ? found.svg : null;
    },
  };
}
