import { chartTypes } from '../../src/core/chart-config.ts';
import type { Embed } from '../app/wire.ts';

const chartTypeName = ({ chart }: Embed): string =>
  chartTypes.find(({ type }) => type === chart.chartType)?.name ?? String(chart.chartType);

export const embedTitle = (embed: Embed): string =>
  embed.title.trim() === '' ? `Untitled ${chartTypeName(embed)}` : embed.title;

/** The columns, to tell embeds with the same title apart. */
const columnsText = ({ chart }: Embed): string => `${[chart.dataColumn].flat().join(', ')} by ${chart.labelColumn}`;

/** The parameter values: '@Region = North, @Years = [2025, 2026]'. */
const valuesText = ({ parameters }: Embed): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name} = ${Array.isArray(value) ? `[${value.join(', ')}]` : (value ?? 'NULL')}`)
    .join(', ');

/** One line that identifies the embed. */
export const embedDetails = (embed: Embed): string =>
  [chartTypeName(embed), columnsText(embed), valuesText(embed)].filter((part) => part !== '').join(' · ');

export const chartHeightOf = ({ chart }: Embed): number => (typeof chart.chartHeight === 'number' ? chart.chartHeight : 400);
