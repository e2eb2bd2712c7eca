import { createSpotlight } from '@mantine/spotlight';
import { useSyncExternalStore } from 'react';

/** The state of the global search (Ctrl K), and the functions that open and close it. */
export const [searchStore, globalSearch] = createSpotlight();

export interface SearchText {
  readonly text: string;
  readonly isEntered: boolean; // Enter was pressed for this text
}

let current: SearchText = { text: '', isEntered: false };
const listeners = new Set<() => void>();

export function setSearchText(next: SearchText): void {
  current = next;
  for (const listener of listeners) listener();
}

export const useSearchText = (): SearchText => useSyncExternalStore(subscribe, () => current);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Takes the keys that are pressed after the search is opened and before its field has the focus. */
export function takeEarlyKey(event: KeyboardEvent): void {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  const isInSearch = target instanceof Element && target.closest('[data-global-search]') !== null;
  if (!searchStore.getState().opened || isInSearch || ctrlKey || metaKey || altKey) return;
  if (key === 'Enter') setSearchText({ ...current, isEntered: true });
  else if (key === 'Backspace') setSearchText({ text: current.text.slice(0, -1), isEntered: false });
  else if (key.length === 1) setSearchText({ text: current.text + key, isEntered: false });
  else return;
  event.preventDefault();
  event.stopPropagation();
}
