import type { ChartColumn, ChartRow, ChartSurface } from '../charts/built-chart.ts';
import type { ChartConfig } from '../charts/chart-config.ts';

/** All that decides a picture. */
export interface ChartDrawing {
  readonly columns: readonly ChartColumn[];
  readonly rows: readonly ChartRow[];
  readonly config: ChartConfig;
  readonly surface: ChartSurface;
  /** For a picture that stands alone: its notes are printed in it, and these after them. Left out: whoever shows it says them. */
  readonly below?: readonly string[];
  /** Whose picture it is: one owner's may wait only so many at a time. */
  readonly owner?: string;
}

/** A picture with what a page says around it. */
export interface ChartPicture {
  readonly svg: string;
  readonly notes: readonly string[];
  readonly description: string;
  readonly empty: boolean;
}

/** Draws charts on the server, away from the event loop and for a limited time. Whatever goes wrong rejects with DrawFailed. */
export interface ChartDrawer {
  picture(drawing: ChartDrawing): Promise<ChartPicture>;
  svg(drawing: ChartDrawing): Promise<string>;
  /** Scale 2 unless said: pictures are looked at on fine screens. */
  png(drawing: ChartDrawing, scale?: number): Promise<Buffer>;
  /** The same for a picture of another kind. */
  pngOf(svg: string, scale?: number): Promise<Buffer>;
  close(): Promise<void>;
}

export type DrawFailedReason = 'too slow' | 'too busy' | 'closed' | 'broken';

export class DrawFailed extends Error {
  readonly reason: DrawFailedReason;

  constructor(reason: DrawFailedReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DrawFailed';
    this.reason = reason;
  }
}
