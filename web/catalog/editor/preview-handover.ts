import type { Previewed } from './use-preview.ts';

/** Keeps the preview of a new query when the first save navigates to the query's own URL. */
export interface HandedOver {
  readonly queryId: string;
  readonly shown: Previewed | null;
  readonly typed: Readonly<Record<string, string | null | undefined>>;
}

let waiting: HandedOver | null = null;

export const handOver = (preview: HandedOver): void => {
  waiting = preview;
};

export function takeOver(queryId: string | undefined): HandedOver | null {
  const found = waiting?.queryId === queryId ? waiting : null;
  waiting = null;
  return found;
}
