import { chartTypes } from '../../src/charts/chart-config.ts';
import type { Embed } from '../app/wire.ts';

export const chartTypeName = ({ chart }: Embed): string =>
  chartTypes.find(({ type }) => type === chart.chartType)?.name ?? String(chart.chartType);

export const embedTitle = (embed: Embed): string =>
  embed.title.trim() === '' ? `Untitled ${chartTypeName(embed)}` : embed.title;

export const chartHeightOf = ({ chart }: Embed): number => (typeof chart.chartHeight === 'number' ? chart.chartHeight : 400);
