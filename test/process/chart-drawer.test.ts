import { afterEach, describe, expect, it } from 'vitest';
import { collectChart, emptyData } from '../../src/charts/summary/chart-data.ts';
import { type ChartDrawer, DrawFailed } from '../../src/drawing/chart-drawer.ts';
import { type ChartDrawerOptions, createChartDrawer } from '../../src/drawing/create-chart-drawer.ts';
import { bars } from '../pictures/cases/bars.ts';
import { slicesAndRings } from '../pictures/cases/slices-and-rings.ts';
import { large, typical } from '../pictures/cases/typical.ts';
import { svgOf } from '../pictures/compare.ts';

const open: ChartDrawer[] = [];
const drawer = (options: Partial<ChartDrawerOptions> = {}): ChartDrawer => {
  const made = createChartDrawer({ maxMs: 20_000, ...options });
  open.push(made);
  return made;
};
const drawingOf = (name: string) => {
  const found = [...typical, ...bars, ...slicesAndRings, ...large].find((each) => each.name === name);
  if (!found) throw new Error(`no picture ${name}`);
  return { ...found, data: collectChart(found.columns, found.rows, found.config), turn: turnOf('one') };
};
let charts = 0;
const turnOf = (owner: string) => ({ owner, chart: String(charts++), bytes: 1 });
const pngSize = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];
const reasonOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'drawn',
    (error: unknown) => (error instanceof DrawFailed ? error.reason : error),
  );

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

// starting a worker is slow on a busy machine
describe('a chart drawer', { timeout: 120_000 }, () => {
  it('draws SVG and returns the text that a page shows with it', async () => {
    const { picture, svg } = drawer();
    const drawn = await picture(drawingOf('same-label-slices'));
    expect(drawn.notes).toEqual(['Sum of 420 rows by “Depot”.']);
    expect(drawn.svg).toMatch(/^<svg role="img"/);
    expect(await svg(drawingOf('same-label-slices'))).toBe(drawn.svg);
  });

  it('draws the same as the bundle for browsers', async () => {
    const { svg } = drawer();
    for (const drawing of typical) expect(await svg(drawingOf(drawing.name))).toBe(svgOf(drawing));
  });

  it('draws PNG at the requested scale, within limits', async () => {
    const { png } = drawer();
    expect(pngSize((await png(drawingOf('bar'))).png)).toEqual([1600, 800]);
    expect(pngSize((await png(drawingOf('bar'), 1)).png)).toEqual([800, 400]);
    expect(pngSize((await png(drawingOf('bar'), 100)).png)).toEqual([8000, 4000]);
  });

  it('draws the charts of several owners in turn', async () => {
    const { svg } = drawer();
    const order: string[] = [];
    const of = (owner: string) => svg({ ...drawingOf('no-rows'), turn: turnOf(owner) }).then(() => order.push(owner));
    await Promise.all(['one', 'one', 'one', 'one', 'other', 'third'].map(of));
    expect(order).toEqual(['one', 'one', 'other', 'third', 'one', 'one']); // the first did not wait
  });

  it('drops a picture of the busiest owner for that of another', async () => {
    const { svg } = drawer({ maxWaiting: 3 });
    const of = (owner: string) => reasonOf(svg({ ...drawingOf('no-rows'), turn: turnOf(owner) }));
    const ofOne = Array.from({ length: 5 }, () => of('one')); // one is drawn, three are queued
    const ofOther = of('other');
    expect(await Promise.all(ofOne)).toEqual(['drawn', 'drawn', 'drawn', 'too busy', 'too busy']);
    expect(await ofOther).toBe('drawn');
  });

  it('draws concurrent pictures with the same key once', async () => {
    const { picture } = drawer();
    const turn = { ...turnOf('one'), key: 'same' };
    const drawn = await Promise.all(Array.from({ length: 5 }, () => picture({ ...drawingOf('bar'), turn })));
    expect(new Set(drawn).size).toBe(1);
    const narrow = { ...drawingOf('bar'), turn, surface: { width: 360, theme: 'light' as const } };
    expect(await Promise.all([picture(narrow), picture({ ...drawingOf('bar'), turn })])).not.toContain(drawn[0]);
  });

  it('stops a picture that takes too long, and draws the next one', async () => {
    const slow = {
      ...drawingOf('5000-rows-scatter'),
      data: { ...emptyData, rows: Array.from({ length: 400_000 }, (_, index) => ({ Weight: index, Height: 1 })) },
    };
    const { svg } = drawer({ maxMs: 1500 });
    const late = reasonOf(svg(slow));
    const next = reasonOf(svg(drawingOf('no-rows')));
    expect(await late).toBe('too large');
    expect(await next).toBe('drawn');
  });

  it('rejects a picture that cannot be drawn, and draws the next one', async () => {
    const { svg } = drawer();
    const drawing = drawingOf('bar');
    // a defect of the caller: no such type
    const broken = { ...drawing, config: { ...drawing.config, ...JSON.parse('{"chartType":"cake"}') } };
    expect(await reasonOf(svg(broken))).toBe('broken');
    expect(await reasonOf(svg(drawing))).toBe('drawn');
  });

  it('limits the number of waiting pictures', async () => {
    const { svg } = drawer({ maxWaiting: 1 });
    const asked = Array.from({ length: 3 }, () => reasonOf(svg(drawingOf('bar'))));
    expect(await Promise.all(asked)).toEqual(['drawn', 'drawn', 'too busy']);
  });

  it('draws with several workers in parallel', async () => {
    const { svg } = drawer({ workers: 2 });
    const [first, second, third] = await Promise.all(['bar', 'line', 'pie'].map((name) => svg(drawingOf(name))));
    expect([first, second, third].map((text) => text?.includes('<svg'))).toEqual([true, true, true]);
  });

  it('ends an idle worker, and starts another one when needed', async () => {
    const { svg } = drawer({ idleMs: 20 });
    expect(await reasonOf(svg(drawingOf('bar')))).toBe('drawn');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await reasonOf(svg(drawingOf('bar')))).toBe('drawn');
  });

  it('rejects new and waiting pictures when closed', async () => {
    const closing = drawer();
    const waiting = [reasonOf(closing.svg(drawingOf('bar'))), reasonOf(closing.svg(drawingOf('bar')))];
    await closing.close();
    expect(await Promise.all(waiting)).toEqual(['closed', 'closed']);
    expect(await reasonOf(closing.svg(drawingOf('bar')))).toBe('closed');
  });
});
