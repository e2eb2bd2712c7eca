import { fileURLToPath } from 'node:url';
import { Resvg } from '@resvg/resvg-js';

const mostPixels = 32e6;

/** The picture in pixels, with the fonts that come with the service: it looks the same on every machine. */
export function pngOf(svg: string, scale: number): Uint8Array {
  const picture = (zoom: number) =>
    new Resvg(withFonts(svg), {
      font: { loadSystemFonts: false, fontFiles: fontsFor(svg), defaultFontFamily: 'Inter', sansSerifFamily: 'Inter' },
      fitTo: { mode: 'zoom', value: zoom },
      logLevel: 'off',
    });
  const size = /\bwidth="([\d.]+)" height="([\d.]+)"/.exec(svg);
  const area = Number(size?.[1] ?? 1) * Number(size?.[2] ?? 1);
  return picture(Math.min(scale, Math.sqrt(mostPixels / area)))
    .render()
    .asPng();
}

/** A font is read anew for each picture: those of other scripts only where their letters occur. */
const fontsFor = (svg: string): string[] => [
  ...latin,
  ...scripts.filter(({ letters }) => letters.test(svg)).flatMap(({ files }) => files),
];

/** Letters are joined and placed well only by a font that was named: falling back to another one joins them too late. */
const withFonts = (svg: string): string =>
  svg.replace(/<text([^>]*) font-family="[^"]*"([^>]*)>([^<]*)/g, (text, before, after, content) => {
    const script = scripts.find(({ letters }) => letters.test(content));
    return script ? `<text${before} font-family="${script.family}, Inter"${after}>${content}` : text;
  });

// Inter has Latin, Greek and Cyrillic
const latin = [
  fileURLToPath(import.meta.resolve('@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf')),
  fileURLToPath(import.meta.resolve('@expo-google-fonts/inter/500Medium/Inter_500Medium.ttf')),
  fileURLToPath(import.meta.resolve('@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf')),
  fileURLToPath(import.meta.resolve('@expo-google-fonts/inter/700Bold/Inter_700Bold.ttf')),
];

interface Script {
  readonly letters: RegExp;
  readonly family: string;
  readonly files: readonly string[];
}

const scripts: readonly Script[] = [
  {
    letters: /[\u0590-\u05ff\ufb1d-\ufb4f]/,
    family: 'Noto Sans Hebrew',
    files: [
      fileURLToPath(import.meta.resolve('@expo-google-fonts/noto-sans-hebrew/400Regular/NotoSansHebrew_400Regular.ttf')),
      fileURLToPath(import.meta.resolve('@expo-google-fonts/noto-sans-hebrew/600SemiBold/NotoSansHebrew_600SemiBold.ttf')),
    ],
  },
  {
    letters: /[\u0600-\u08ff\ufb50-\ufdff\ufe70-\ufeff]/,
    family: 'Noto Sans Arabic',
    files: [
      fileURLToPath(import.meta.resolve('@expo-google-fonts/noto-sans-arabic/400Regular/NotoSansArabic_400Regular.ttf')),
      fileURLToPath(import.meta.resolve('@expo-google-fonts/noto-sans-arabic/600SemiBold/NotoSansArabic_600SemiBold.ttf')),
    ],
  },
  {
    letters: /[\u0900-\u097f]/,
    family: 'Noto Sans',
    files: [
      fileURLToPath(import.meta.resolve('@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf')),
      fileURLToPath(import.meta.resolve('@expo-google-fonts/noto-sans/600SemiBold/NotoSans_600SemiBold.ttf')),
    ],
  },
  {
    letters: /[\u2e80-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]|[\ud840-\ud87f]/,
    family: 'Noto Sans SC',
    files: [fileURLToPath(import.meta.resolve('@expo-google-fonts/noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf'))],
  },
];
