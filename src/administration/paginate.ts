import { failed, type Result, succeeded } from '../core/errors.ts';
import { badCursor } from '../pipeline/steps/store-failure.ts';
import type { ListPage, ListRequest } from '../store/metadata-store.ts';

interface Listed {
  readonly id: string;
}

/** Pages through a list in memory; the cursor is the id of the last item on the page. */
export function paginate<T extends Listed>(
  items: readonly T[],
  name: (item: T) => string,
  request: ListRequest,
): Result<ListPage<T>> {
  const wanted = request.search?.toLowerCase() ?? '';
  const found = items.filter((item) => name(item).toLowerCase().includes(wanted));
  const start = found.findIndex((item) => item.id === request.cursor) + 1;
  if (start === 0 && request.cursor !== undefined) return failed(badCursor);
  const page = found.slice(start, start + request.limit);
  const more = start + page.length < found.length;
  return succeeded({ items: page, nextCursor: more ? (page.at(-1)?.id ?? null) : null });
}
