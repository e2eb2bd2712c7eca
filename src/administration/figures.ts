import type { Principal } from '../access/principal.ts';
import type { Query } from '../catalog/query.ts';
import { succeeded } from '../core/errors.ts';
import type { ReadFigure } from '../pipeline/steps/figures.ts';
import type { MetadataStore } from '../store/metadata-store.ts';
import { isoTime } from './iso-time.ts';
import { toVisibleRequest } from './queries/query-rights.ts';

export interface FiguresParts {
  readonly store: Pick<MetadataStore, 'catalog' | 'databases'>;
  readonly readFigure: ReadFigure;
  readonly flushRuns: () => Promise<void>;
}

export type Figures = ReturnType<typeof createFigures>;

const SHOWN = 6;
const LISTED = 50; // of each list that is looked through

/** Small charts of the queries with these names, otherwise of favorites, recent queries and those with a chart. Runs no query. */
export function createFigures({ store, readFigure, flushRuns }: FiguresParts) {
  return async (actor: Principal, names: readonly string[] | undefined) => {
    const request = await toVisibleRequest(store, actor, { limit: LISTED });
    if (request === null) return succeeded({ figures: [] });
    const { userId } = actor;
    const runnable = { ...request, statuses: ['Active'] } as const;
    const list = async (filter: Partial<typeof request>) => (await store.catalog.list({ ...runnable, ...filter })).items;
    if (names !== undefined) {
      const known = names.filter((name) => request.queryNames?.includes(name) !== false).slice(0, LISTED);
      return succeeded({ figures: await readAll(await list({ queryNames: known }), LISTED) });
    }
    await flushRuns();
    const own = [
      ...(await list({ favoriteOf: userId })),
      ...(await list({ usedBy: userId, order: { by: 'lastUsed', descending: true, userId } })),
    ];
    const others = (await list({})).filter(({ id, current }) => current.definition.chart && !own.some((each) => each.id === id));
    const ownFigures = await readAll([...new Map(own.map((query) => [query.id, query])).values()], SHOWN);
    const more = ownFigures.length === SHOWN ? [] : await readAll(others, LISTED);
    const trendsFirst = more.toSorted((a, b) => Number(b.unit !== null) - Number(a.unit !== null));
    return succeeded({ figures: [...ownFigures, ...trendsFirst].slice(0, SHOWN) });

    async function readAll(candidates: readonly Query[], most: number) {
      const items = [];
      for (const { id, queryName } of candidates) {
        if (items.length === most) break;
        const found = await readFigure(actor, id);
        if (found === null) continue;
        items.push({ id, queryName, name: found.query.current.definition.name, at: isoTime(found.at), ...found.figure });
      }
      return items;
    }
  };
}
