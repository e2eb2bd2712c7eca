import type { EmbedRepository } from '../store/metadata-store.ts';

/** Views of embeds: counted in memory and written now and then, since a write a view would cost more than the view. */
export interface EmbedViews {
  note(embedId: string): void;
  flush(): Promise<void>;
}

export function createEmbedViews(embeds: Pick<EmbedRepository, 'addViews'>, now: () => number): EmbedViews {
  const views = new Map<string, { count: number; at: number }>();
  const add = (id: string, count: number, at: number): void => {
    const before = views.get(id);
    views.set(id, { count: count + (before?.count ?? 0), at: Math.max(at, before?.at ?? 0) });
  };
  return {
    note: (embedId) => add(embedId, 1, now()),
    flush: async () => {
      if (views.size === 0) return;
      const batch = [...views].map(([id, view]) => ({ id, ...view }));
      views.clear();
      try {
        await embeds.addViews(batch);
      } catch (error) {
        for (const { id, count, at } of batch) add(id, count, at); // for the next turn
        throw error;
      }
    },
  };
}
