import type { init, setPlatformAPI } from 'echarts/core';
import type { BuiltChart, ChartSurface } from '../built-chart.ts';
import { themeOf, chartFont } from '../option/theme.ts';
import { escapeHtml } from '../option/tooltip.ts';
import { textWidth, textLines } from '../text-width.ts';

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

/**
 * Removes hover styles, classes and hydration marks that ECharts writes, and converts styles to attributes, so that the picture
 * works under a policy without inline styles.
 */
function simplifySvg(svg: string): string {
  return svg
    .replace(/<style\b[\s\S]*?<\/style>\s*/g, '')
    .replace(
      /<([a-z]+)(\s[^<>]*?)(\/?)>/gi,
      (_, name: string, attributes: string, end: string) => `<${name}${simplifyAttributes(attributes)}${end}>`,
    )
    .replace(/><\/(?:path|rect|circle|image|use|stop)>/g, '/>');
}

const simplifyAttributes = (attributes: string): string =>
  attributes
    .replace(/\s(?:class|ecmeta_[a-z_]+|pointer-events)="[^"]*"/g, '')
    .replace(/\sstyle="([^"]*)"/g, (_, style: string) => asAttributes(style))
    .replace(/\b(id="|url\(#|href="#)zr\d+-/g, '$1zr-'); // zrender numbers all charts of the process

function asAttributes(style: string): string {
  const declared = style.split(';').flatMap((declaration) => {
    const [property, value] = declaration.split(/:\s*/, 2);
    if (!property || !value) return [];
    return property.trim() === 'font' ? fontParts(value) : [[property.trim(), value.trim()] as const];
  });
  return declared.map(([property, value]) => ` ${property}="${value}"`).join('');
}

/** `normal 600 12px Inter, …` */
function fontParts(font: string): readonly (readonly [property: string, value: string])[] {
  const match = /^(\S+) (\S+) (\S+px) (.+)$/.exec(font);
  if (!match) return [];
  const [, style = '', weight = '', size = '', family = ''] = match;
  const styles: readonly (readonly [string, string])[] = [
    ['font-style', style],
    ['font-weight', weight],
  ];
  return [...styles.filter(([, value]) => value !== 'normal'), ['font-size', size], ['font-family', family]];
}

/** Extends the picture below the chart with its notes, so that a standalone picture of partial data says so. */
export function svgWithNotes(svg: string, notes: readonly string[], surface: ChartSurface): string {
  const size = /^<svg [^>]*?\bwidth="([\d.]+)" height="([\d.]+)"[^>]*>/.exec(svg);
  const [width, height] = [Number(size?.[1]), Number(size?.[2])];
  if (size === null || notes.length === 0) return svg;

  const { background, muted } = themeOf(surface);
  const lines = textLines(notes.join(' '), width - 2 * edge, fontSize);
  const more = lines.length * lineHeight + below;
  const texts = lines.map(
    (line, index) =>
      `<text x="${edge}" y="${height + (index + 0.75) * lineHeight}" font-size="${fontSize}px" font-family="${chartFont}" fill="${muted}">${escapeHtml(line)}</text>`,
  );
  const taller = size[0]
    .replace(`height="${size[2]}"`, `height="${height + more}"`)
    .replace(`viewBox="0 0 ${size[1]} ${size[2]}"`, `viewBox="0 0 ${size[1]} ${height + more}"`);
  // overlaps by a pixel, to avoid a visible seam when scaled
  const strip = `<rect x="0" y="${height - 1}" width="${width}" height="${more + 1}" fill="${background}"/>`;
  return svg.replace(size[0], () => taller).replace(/<\/svg>\s*$/, () => `${strip}\n${texts.join('\n')}\n</svg>`);
}

const edge = 21; // same as the title
const fontSize = 12;
const lineHeight = 17;
const below = 12;
