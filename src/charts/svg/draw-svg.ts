import type { init, setPlatformAPI } from 'echarts/core';
import type { BuiltChart, ChartSurface } from '../built-chart.ts';
import { themeOf } from '../option/theme.ts';
import { escapeHtml } from '../option/tooltip.ts';
import { textWidth } from '../text-width.ts';
import { simplifySvg } from './plain-svg.ts';

/** The used part of ECharts, from any bundle. */
export interface Engine {
  readonly init: typeof init;
  readonly setPlatformAPI: typeof setPlatformAPI;
}

/** The chart as standalone SVG: no script, no external references, an accessible name. */
export function drawSvg(engine: Engine, built: BuiltChart, surface: ChartSurface): string {
  if (!('document' in globalThis)) engine.setPlatformAPI({ measureText }); // browsers have their own
  const chart = engine.init(null, null, { renderer: 'svg', ssr: true, width: surface.width, height: built.height });
  try {
    chart.setOption({ ...built.option, animation: false, backgroundColor: themeOf(surface).background });
    return addDescription(simplifySvg(chart.renderToSVGString()), built.description);
  } finally {
    chart.dispose();
  }
}

function addDescription(svg: string, description: string): string {
  const text = escapeHtml(description);
  return svg.replace(
    /^<svg ([^>]*)>/,
    (_, attributes) => `<svg role="img" aria-label="${text}" ${attributes}><title>${text}</title>`,
  );
}

function measureText(text: string, font = ''): { width: number } {
  const size = Number(/(?<!\d)(\d+(?:\.\d+)?)px/.exec(font)?.[1] ?? 12);
  const bold = /\b(?:bold|[6-9]00)\b/.test(font) ? 1.035 : 1;
  return { width: textWidth(text, size) * bold };
}
