export type ChartAct = 'zoom-in' | 'zoom-out' | 'pan-left' | 'pan-right' | 'reset' | 'png' | 'svg';

/** A toolbar button. Its face is a path on a 20 by 20 canvas, or a word. */
export interface ChartTool {
  readonly act: ChartAct;
  readonly name: string;
  readonly key: string | null; // display name
  readonly face: { readonly path: string } | { readonly word: string };
}

/** The toolbar of embed pages and of the web interface, from left to right. */
export const chartTools = (zooms: boolean): readonly ChartTool[] =>
  tools.filter(({ act }) => zooms || act === 'png' || act === 'svg');

export const moreToolsPath = 'M4 10h.01M10 10h.01M16 10h.01';

const tools: readonly ChartTool[] = [
  { act: 'zoom-in', name: 'Zoom in', key: '+', face: { path: 'M10 4v12M4 10h12' } },
  { act: 'zoom-out', name: 'Zoom out', key: '-', face: { path: 'M4 10h12' } },
  { act: 'pan-left', name: 'Pan left', key: '←', face: { path: 'M12 4l-6 6 6 6' } },
  { act: 'pan-right', name: 'Pan right', key: '→', face: { path: 'M8 4l6 6-6 6' } },
  { act: 'reset', name: 'Reset', key: '0', face: { path: 'M4 10a6 6 0 1 0 2-4.5M4 4v3.5h3.5' } },
  { act: 'png', name: 'Download PNG', key: null, face: { word: 'PNG' } },
  { act: 'svg', name: 'Download SVG', key: null, face: { word: 'SVG' } },
];
