import { join } from 'node:path';
import { Resvg } from '@resvg/resvg-js';

const maxPixels = 32e6;

/** Rasterises with the bundled fonts, so that pictures look the same on every machine. */
export function pngOf(svg: string, scale: number): Uint8Array {
  const picture = (zoom: number) =>
    new Resvg(withFonts(svg), {
      font: { loadSystemFonts: false, fontFiles: fontsFor(svg), defaultFontFamily: 'Inter', sansSerifFamily: 'Inter' },
      fitTo: { mode: 'zoom', value: zoom },
      logLevel: 'off',
    });
  const size = /\bwidth="([\d.]+)" height="([\d.]+)"/.exec(svg);
  const area = Number(size?.[1] ?? 1) * Number(size?.[2] ?? 1);
  return picture(Math.min(scale, Math.sqrt(maxPixels / area)))
    .render()
    .asPng();
}

/** Fonts are loaded for each picture: those of other scripts only if their characters occur. */
const fontsFor = (svg: string): string[] => [
  ...latin,
  ...scripts.filter(({ letters }) => letters.test(svg)).flatMap(({ files }) => files),
];

/** Names the fonts in the SVG: with font fallback, letters are shaped before the final font is known. */
const withFonts = (svg: string): string =>
  svg.replace(/<text([^<>]*) font-family="[^"]*"([^<>]*)>([^<]*)/g, (text, before, after, content) => {
    const script = scripts.find(({ letters }) => letters.test(content));
    return script ? `<text${before} font-family="${script.family}, Inter"${after}>${content}` : text;
  });

const fontFile = (name: string): string => join(import.meta.dirname, 'fonts', `${name}.ttf`);

// Inter has Latin, Greek and Cyrillic
const latin = [fontFile('Inter-400'), fontFile('Inter-500'), fontFile('Inter-600'), fontFile('Inter-700')];

interface Script {
  readonly letters: RegExp;
  readonly family: string;
  readonly files: readonly string[];
}

const script = (letters: RegExp, family: string, ...files: readonly string[]): Script => ({
  letters,
  family,
  files: files.map(fontFile),
});

const scripts: readonly Script[] = [
  script(/[\u0590-\u05ff\ufb1d-\ufb4f]/, 'Noto Sans Hebrew', 'NotoSansHebrew-400', 'NotoSansHebrew-600'),
  script(/[\u0600-\u08ff\ufb50-\ufdff\ufe70-\ufeff]/, 'Noto Sans Arabic', 'NotoSansArabic-400', 'NotoSansArabic-600'),
  script(/[\u0900-\u097f]/, 'Noto Sans', 'NotoSans-400', 'NotoSans-600'),
  script(/[\u2e80-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]|[\ud840-\ud87f]/, 'Noto Sans SC', 'NotoSansSC-400'),
];
