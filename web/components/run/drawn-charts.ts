import { storageKey } from '../../app/base-path.ts';

const KEY = storageKey('sluice-drew-chart');

/** Remembers in this browser that the user has drawn a chart. */
export function rememberDrawnChart(userId: string): void {
  try {
    localStorage.setItem(KEY, userId);
  } catch {
    // blocked or full: it is only not remembered
  }
}

export function hasDrawnChart(userId: string): boolean {
  try {
    return localStorage.getItem(KEY) === userId;
  } catch {
    return false;
  }
}
