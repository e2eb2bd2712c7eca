import { chartTypes } from '../../src/core/chart-config.ts';
import type { Embed } from '../app/wire.ts';
import { valuesText } from '../shares/share-kind.ts';

const chartTypeName = ({ chart }: Embed): string =>
  chartTypes.find(({ type }) => type === chart.chartType)?.name ?? String(chart.chartType);

export const embedTitle = (embed: Embed): string =>
  embed.title.trim() === '' ? `Untitled ${chartTypeName(embed)}` : embed.title;

/** The columns, to tell embeds with the same title apart. */
const columnsText = ({ chart }: Embed): string => `${[chart.dataColumn].flat().join(', ')} by ${chart.labelColumn}`;

/** One line that identifies the embed. */
export const embedDetails = (embed: Embed): string =>
  [
    chartTypeName(embed),
    columnsText(embed),
    valuesText(embed.parameters),
    embed.viewer === 'signed' ? 'signed viewers see their own rows' : '',
    embed.open.length === 0 ? '' : `viewers choose ${embed.open.join(', ')}`,
  ]
    .filter((part) => part !== '')
    .join(' · ');
