import { LRUCache } from 'lru-cache';
import type { ChartConfig } from '../core/chart-config.ts';

/** What a picture shows; a changed one has other pictures. */
interface Pictured {
  readonly id: string;
  readonly chart: ChartConfig;
}

export type LastPictures = ReturnType<typeof createLastPictures>;

const MAX_CHARACTERS = 8 << 20;

/** The last picture of each embed, as SVG. They outlive the rows that they were drawn from, because a list of embeds must not run queries. */
export function createLastPictures() {
  const kept = new LRUCache<string, { readonly chart: string; readonly svg: string }>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ svg }) => svg.length,
  });
  return {
    keep: ({ id, chart }: Pictured, svg: string): void => void kept.set(id, { chart: JSON.stringify(chart), svg }),
    find: ({ id, chart }: Pictured): string | null => {
      const found = kept.get(id);
      return found?.chart === JSON.stringify(chart) ? found.svg : null;
    },
  };
}
