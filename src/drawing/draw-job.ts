import type { ChartDrawing, ChartPicture } from './chart-drawer.ts';

/** The messages between the drawer and its workers. */
export type DrawJob =
  | { readonly as: 'svg'; readonly drawing: ChartDrawing }
  | { readonly as: 'png'; readonly drawing: ChartDrawing; readonly scale: number }
  | { readonly as: 'png'; readonly svg: string; readonly scale: number };

export type WorkerMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'drawn'; readonly picture: ChartPicture | null; readonly png: Uint8Array | null }
  | { readonly kind: 'failed'; readonly message: string };
