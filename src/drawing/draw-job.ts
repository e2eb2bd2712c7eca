import type { ChartDrawing, ChartPicture } from './chart-drawer.ts';

/** What the drawer and its workers say to each other. */
export interface DrawJob {
  readonly drawing: ChartDrawing;
  readonly as: 'svg' | 'png';
  readonly scale: number;
}

export type WorkerMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'drawn'; readonly picture: ChartPicture; readonly png: Uint8Array | null }
  | { readonly kind: 'failed'; readonly message: string };
