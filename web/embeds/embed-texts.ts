import { chartTypes } from '../../src/charts/chart-config.ts';
import type { Embed } from '../app/wire.ts';

const chartTypeName = ({ chart }: Embed): string =>
  chartTypes.find(({ type }) => type === chart.chartType)?.name ?? String(chart.chartType);

export const embedTitle = (embed: Embed): string =>
  embed.title.trim() === '' ? `Untitled ${chartTypeName(embed)}` : embed.title;

/** What it draws: with the type of chart it tells embeds of the same title apart. */
const columnsText = ({ chart }: Embed): string => `${chart.dataColumn} by ${chart.labelColumn}`;

/** The values that it is drawn with, where it has any: '@Region = North, @Year = 2026'. */
const valuesText = ({ parameters }: Embed): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name} = ${value ?? 'NULL'}`)
    .join(', ');

/** One line that names this embed and no other of the query. */
export const embedDetails = (embed: Embed): string =>
  [chartTypeName(embed), columnsText(embed), valuesText(embed)].filter((part) => part !== '').join(' · ');

export const chartHeightOf = ({ chart }: Embed): number => (typeof chart.chartHeight === 'number' ? chart.chartHeight : 400);
