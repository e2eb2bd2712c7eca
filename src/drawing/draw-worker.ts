import { parentPort } from 'node:worker_threads';
import { buildChart } from '../charts/build-chart.ts';
import { drawSvg, type Engine, svgWithNotes } from '../charts/svg/draw-svg.ts';
import type { ChartDrawing, ChartPicture, DrawJob, WorkerMessage } from './chart-drawer.ts';

const echarts: Engine = await import(new URL('../../dist/drawing/echarts.js', import.meta.url).href);

const port = parentPort;
if (!port) throw new Error('This file runs as a worker.');

const post = (message: WorkerMessage): void => port.postMessage(message);

port.on('message', async (job: DrawJob) => {
  try {
    post(await draw(job));
  } catch (error) {
    post({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
});
post({ kind: 'ready' });

async function draw(job: DrawJob): Promise<WorkerMessage> {
  const picture = 'drawing' in job ? pictureOf(job.drawing) : null;
  if (job.as === 'svg') return { kind: 'drawn', picture, png: null };
  const { pngOf } = await import('./png-of.ts'); // loaded on demand: a native library and fonts
  return { kind: 'drawn', picture, png: pngOf('svg' in job ? job.svg : (picture?.svg ?? ''), job.scale) };
}

function pictureOf({ columns, data, config, below, ...drawing }: ChartDrawing): ChartPicture {
  const surface = { ...drawing.surface, still: true };
  const built = buildChart(columns, data, config, surface);
  const { notes } = built;
  const description = [built.description, ...(below ?? [])].join(' ');
  const svg = drawSvg(echarts, { ...built, description }, surface);
  return { svg: below === undefined ? svg : svgWithNotes(svg, [...notes, ...below], surface), notes };
}
