import { afterEach, describe, expect, it } from 'vitest';
import { edgeCases, large, twelve } from '../../test/pictures/cases.ts';
import { svgOf } from '../../test/pictures/compare.ts';
import { type ChartDrawer, DrawFailed } from './chart-drawer.ts';
import { type ChartDrawerOptions, createChartDrawer } from './create-chart-drawer.ts';

const open: ChartDrawer[] = [];
const drawer = (options: Partial<ChartDrawerOptions> = {}): ChartDrawer => {
  const made = createChartDrawer({ maxMs: 20_000, ...options });
  open.push(made);
  return made;
};
const drawingOf = (name: string) => {
  const found = [...twelve, ...edgeCases, ...large].find((each) => each.name === name);
  if (!found) throw new Error(`no picture ${name}`);
  return found;
};
const pngSize = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];
const reasonOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'drawn',
    (error: unknown) => (error instanceof DrawFailed ? error.reason : error),
  );

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

// starting a worker takes long on a busy machine
describe('a chart drawer', { timeout: 120_000 }, () => {
  it('draws SVG, with what a page says around it', async () => {
    const { picture, svg } = drawer();
    const drawn = await picture(drawingOf('same-label-slices'));
    expect(drawn).toMatchObject({ empty: false, notes: ['420 rows with the same “Depot” were added up.'] });
    expect(drawn.svg).toMatch(/^<svg role="img"/);
    expect(await svg(drawingOf('same-label-slices'))).toBe(drawn.svg);
  });

  it('draws what a browser with its own parcel of the library would', async () => {
    const { svg } = drawer();
    for (const drawing of twelve) expect(await svg(drawing)).toBe(svgOf(drawing));
  });

  it('draws PNG at the scale that was asked for, within bounds', async () => {
    const { png } = drawer();
    expect(pngSize(await png(drawingOf('bar')))).toEqual([1600, 800]);
    expect(pngSize(await png(drawingOf('bar'), 1))).toEqual([800, 400]);
    expect(pngSize(await png(drawingOf('bar'), 100))).toEqual([8000, 4000]);
  });

  it('lets one owner wait for a part of the places only', async () => {
    const { svg } = drawer({ maxWaiting: 8 });
    const of = (owner: string) => reasonOf(svg({ ...drawingOf('no-rows'), owner }));
    const ofOne = Array.from({ length: 6 }, () => of('one')); // one is drawn, two wait
    const ofOther = of('other');
    expect(await Promise.all(ofOne)).toEqual(['drawn', 'drawn', 'drawn', 'too busy', 'too busy', 'too busy']);
    expect(await ofOther).toBe('drawn');
  });

  it('gives up on a picture that takes too long, and draws the next one', async () => {
    const slow = {
      ...drawingOf('5000-rows-scatter'),
      rows: Array.from({ length: 400_000 }, (_, index) => ({ Weight: index, Height: 1 })),
    };
    const { svg } = drawer({ maxMs: 1500 });
    const late = reasonOf(svg(slow));
    const next = reasonOf(svg(drawingOf('no-rows')));
    expect(await late).toBe('too slow');
    expect(await next).toBe('drawn');
  });

  it('tells what it could not draw, and goes on', async () => {
    const { svg } = drawer();
    const drawing = drawingOf('bar');
    // a defect of whoever asks: no such type
    const broken = { ...drawing, config: { ...drawing.config, ...JSON.parse('{"chartType":"cake"}') } };
    expect(await reasonOf(svg(broken))).toBe('broken');
    expect(await reasonOf(svg(drawing))).toBe('drawn');
  });

  it('lets only so many wait', async () => {
    const { svg } = drawer({ maxWaiting: 1 });
    const asked = Array.from({ length: 3 }, () => reasonOf(svg(drawingOf('bar'))));
    expect(await Promise.all(asked)).toEqual(['drawn', 'drawn', 'too busy']);
  });

  it('lets several workers draw at once', async () => {
    const { svg } = drawer({ workers: 2 });
    const [first, second, third] = await Promise.all(['bar', 'line', 'pie'].map((name) => svg(drawingOf(name))));
    expect([first, second, third].map((text) => text?.includes('<svg'))).toEqual([true, true, true]);
  });

  it('ends its worker when nothing comes, and starts one again', async () => {
    const { svg } = drawer({ idleMs: 20 });
    expect(await reasonOf(svg(drawingOf('bar')))).toBe('drawn');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await reasonOf(svg(drawingOf('bar')))).toBe('drawn');
  });

  it('refuses when it is closed, also what was waiting', async () => {
    const closing = drawer();
    const waiting = [reasonOf(closing.svg(drawingOf('bar'))), reasonOf(closing.svg(drawingOf('bar')))];
    await closing.close();
    expect(await Promise.all(waiting)).toEqual(['closed', 'closed']);
    expect(await reasonOf(closing.svg(drawingOf('bar')))).toBe('closed');
  });
});
