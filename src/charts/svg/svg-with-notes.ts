import type { ChartSurface } from '../built-chart.ts';
import { chartFont, themeOf } from '../option/theme.ts';
import { escapeHtml } from '../option/tooltip.ts';
import { textLines } from '../text-width.ts';

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
