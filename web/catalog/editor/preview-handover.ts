import type { Previewed } from './use-preview.ts';

/** What was tried before the first save: the page then gets an address of its own, and its preview must not be lost on the way. */
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
