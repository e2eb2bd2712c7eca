import { LRUCache } from 'lru-cache';
import type { Embed } from '../../access/embed.ts';
import { type ChartPicture, DrawFailed } from '../../drawing/chart-drawer.ts';
import type { PictureSize, Theme, ViewedChart } from './embed-view.ts';

export type EmbedPictures = ReturnType<typeof createEmbedPictures>;

const MAX_CHARACTERS = 8 << 20;
const MOST_WAITING = 60; // as many as a large dashboard has

/**
 * The pictures of embed pages. The last one of each embed is kept longer than its rows, because a list of embeds shows it and must not run
 * queries.
 */
export function createEmbedPictures(countWaiting: () => number) {
  const kept = new LRUCache<string, { readonly chart: string; readonly svg: string }>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ svg }) => svg.length,
  });
  return {
    /**
     * Null if other drawings wait and the page can do without: its script draws the chart, and no viewer waits for the pictures of a whole
     * dashboard. A picture that is cached is there at once.
     */
    async take(chart: ViewedChart, theme: Theme, size: PictureSize, mayOmit: boolean): Promise<ChartPicture | null> {
      const isBusy = mayOmit && countWaiting() >= MOST_WAITING;
      const drawing = chart.draw(theme, size).then((picture) => {
        kept.set(chart.embed.id, { chart: JSON.stringify(chart.embed.chart), svg: picture.svg });
        return picture;
      });
      try {
        return await (isBusy ? Promise.race([drawing, later()]) : drawing);
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

const later = (): Promise<null> => new Promise((resolve) => setImmediate(resolve, null));
