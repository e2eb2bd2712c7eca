import { expect, it } from 'vitest';
import { buildTestChart } from '../../../test/support/results/build-test-chart.ts';
import { chartSvg } from './chart-svg.ts';
import { svgWithNotes } from './draw-svg.ts';

const surface = { width: 400, theme: 'dark' } as const;
const svg = chartSvg(buildTestChart('pie', [['a', 1]], { surface }), surface);

it('adds the notes below the unchanged chart', () => {
  const noted = svgWithNotes(svg, ['2 negative values were left out.', 'A & <b> “$&” of them.'], surface);
  expect(noted).toMatch(/^<svg role="img" [^>]*width="400" height="429" [^>]*viewBox="0 0 400 429">/);
  const inner = (text: string) => text.slice(text.indexOf('<title>'), text.indexOf('</svg>')).trimEnd();
  expect(noted).toContain(inner(svg));
  expect(noted).toContain('<rect x="0" y="399" width="400" height="30" fill="#16181d"/>');
  expect(noted).toContain('>2 negative values were left out. A &amp; &lt;b&gt; “$&amp;” of them.</text>');
});

it('wraps notes into lines', () => {
  const noted = svgWithNotes(
    svg,
    Array.from({ length: 5 }, (_, index) => `This is the note number ${index}.`),
    surface,
  );
  expect(noted.match(/font-size="12px" font-family="[^"]*" fill="#a3abb8">This|number/g)?.length).toBeGreaterThan(2);
  expect(Number(/height="(\d+)"/.exec(noted)?.[1])).toBeGreaterThan(440);
});

it('changes nothing without notes', () => {
  expect(svgWithNotes(svg, [], surface)).toBe(svg);
});
