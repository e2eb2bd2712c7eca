import type { ChartColumn, ChartSurface } from '../charts/built-chart.ts';
import type { ChartData } from '../charts/summary/chart-data.ts';
import type { ChartConfig } from '../core/chart-config.ts';

export interface ChartDrawing {
  readonly columns: readonly ChartColumn[];
  readonly data: ChartData;
  readonly config: ChartConfig;
  readonly surface: ChartSurface;
  /** For a standalone picture: prints the chart's notes in it, followed by these. Left out: the notes are shown by the page. */
  readonly below?: readonly string[];
  readonly turn: DrawingTurn;
}

/** Owners take turns, and so do the charts of an owner. */
export interface DrawingTurn {
  readonly owner: string;
  readonly chart: string;
  readonly bytes: number; // of the rows, which are kept in memory while the drawing waits
  /** Concurrent drawings with the same key, surface and format are drawn once. Left out: the drawing is not shared. */
  readonly key?: string;
}

/** A picture with the text that a page shows with it. */
export interface ChartPicture {
  readonly svg: string;
  readonly notes: readonly string[];
}

export interface PngPicture {
  readonly png: Buffer;
  readonly svg: string; // that it was rasterised from
}

/** Draws charts on the server, off the event loop and with a time limit. All failures reject with DrawFailed. */
export interface ChartDrawer {
  picture(drawing: ChartDrawing): Promise<ChartPicture>;
  svg(drawing: ChartDrawing): Promise<string>;
  /** The default scale is 2, for high-resolution screens. */
  png(drawing: ChartDrawing, scale?: number): Promise<PngPicture>;
  /** Rasterises any other SVG. */
  pngOf(svg: string, scale?: number): Promise<Buffer>;
  /** Drawings that wait for a worker. */
  countWaiting(): number;
  close(): Promise<void>;
}

/** `too large`: it exceeded the time or the memory for one picture, and would do so again. */
export type DrawFailedReason = 'too large' | 'too busy' | 'closed' | 'broken';

export class DrawFailed extends Error {
  readonly reason: DrawFailedReason;

  constructor(reason: DrawFailedReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DrawFailed';
    this.reason = reason;
  }
}

export type DrawJob =
  | { readonly as: 'svg'; readonly drawing: ChartDrawing }
  | { readonly as: 'png'; readonly drawing: ChartDrawing; readonly scale: number }
  | { readonly as: 'png'; readonly svg: string; readonly scale: number };

export type WorkerMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'drawn'; readonly picture: ChartPicture | null; readonly png: Uint8Array | null }
  | { readonly kind: 'failed'; readonly message: string };
