import type { Deliver } from '../deliver.ts';
import { createFirstPage, type FirstPageParts } from './first-page.ts';
import { readNextPage } from './next-page.ts';
import type { DeliverPage, TakePage } from './page.ts';

/** The first page runs the query; a page with a code is read from the snapshot that the first one started. */
export function createTakePage(parts: FirstPageParts): TakePage {
  const takeFirstPage = createFirstPage(parts);
  return (authorised) => {
    const { position } = authorised;
    return position === null ? takeFirstPage(authorised) : readNextPage(parts, authorised, position);
  };
}

export const createDeliverPage =
  (deliver: Deliver, takePage: TakePage): DeliverPage =>
  (call, form) =>
    deliver({ call, action: 'query.execute', form }, takePage);
