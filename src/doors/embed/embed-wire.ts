import { z } from 'zod';
import { DEFAULT_EMBED_DAYS, MAX_EMBED_DAYS } from '../../access/embeds/embed-token.ts';
import { chartTypes } from '../../charts/chart-config.ts';
import { nameSchemas } from '../http/operation.ts';

/** The schemas of docs/spec.md 4.3 and 4.4 for the OpenAPI document. Requests are parsed in embed-form.ts. */
const chartType = z.enum(chartTypes.map(({ type }) => type));
const legendPosition = z.enum(['top', 'bottom', 'left', 'right']);
const theme = z.enum(['auto', 'light', 'dark']);
const toggle = (fallback: boolean) => z.enum(['true', 'false']).optional().describe(`Default ${fallback}`);

export const embedUrlQuery = z.object({
  queryName: z.string().describe('Technical name of an Active query'),
  parameters: z.string().optional().describe('JSON array of {ParameterName, Value, DataType}'),
  chartType,
  labelColumn: z.string().describe('Column for the x axis or the labels'),
  dataColumn: z.string().describe('Column for the y axis or the values'),
  expirationDays: z.string().optional().describe(`1 to ${MAX_EMBED_DAYS}, or never; default ${DEFAULT_EMBED_DAYS}`),
  title: z.string().optional(),
  chartHeight: z.string().optional().describe('Pixels, 100 to 4000; default 400'),
  showToolbar: toggle(true),
  showDataLabels: toggle(false),
  showGrid: toggle(true),
  showLegend: toggle(true),
  legendPosition: legendPosition.optional().describe('Default bottom'),
  enableZoom: toggle(true),
  enableAnimations: toggle(true),
  animationSpeed: z.string().optional().describe('Milliseconds, 0 to 10000; default 800'),
  barOrientation: z.enum(['vertical', 'horizontal']).optional().describe('Default vertical'),
  barWidth: z.string().optional().describe('Percent of the available space, 1 to 100; default 60'),
  theme: theme.optional().describe("Default auto: follows the reader's system"),
  patterns: toggle(false).describe('Patterns in addition to colours, for colour-blind readers; default false'),
});

export const linkResponse = z.object({
  Id: z.string(),
  Token: z.string(),
  EmbedUrl: z.string().describe('Needs no credential: anyone who has it sees the chart'),
  IframeCode: z.string(),
  ExpiresAt: z.string().nullable().describe('ISO 8601, in UTC; null: never'),
});

export const tokenQuery = z.object({ token: z.string().describe('Of an EmbedUrl') });

export const imageQuery = tokenQuery.extend({ format: z.enum(['svg', 'png']).optional().describe('Default svg') });

nameSchemas({ ChartType: chartType, LegendPosition: legendPosition, ChartTheme: theme, EmbedLink: linkResponse });
