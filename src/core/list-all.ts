import { filledFields } from './defined-fields.ts';

interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** The items of all pages of a list. */
export async function* listAll<T>(readPage: (from: { readonly cursor?: string }) => Promise<Page<T>>): AsyncGenerator<T> {
  let cursor: string | null | undefined;
  do {
    const page = await readPage(filledFields({ cursor }));
    yield* page.items;
    cursor = page.nextCursor;
  } while (cursor !== null);
}
