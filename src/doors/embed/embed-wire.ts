import { z } from 'zod';
import { DEFAULT_EMBED_DAYS, MAX_EMBED_DAYS } from '../../access/embeds/embed-token.ts';
import { aggregate, barOrientation, chartTheme, chartType, legendPosition, sortBy, stacked } from '../../catalog/chart-fields.ts';
import { nameSchemas } from '../http/operation.ts';

/** The schemas of docs/spec.md 4.3 and 4.4 for the OpenAPI document. Requests are parsed in embed-form.ts. */
const toggle = (fallback: boolean) => z.enum(['true', 'false']).optional().describe(`Default ${fallback}`);

const OF_QUERY = 'Default: that of the chart of the query';

export const embedUrlQuery = z.object({
  queryName: z.string().describe('Technical name of an Active query'),
  parameters: z.string().optional().describe('JSON array of {ParameterName, Value, DataType}'),
  chartType: chartType.optional().describe(`${OF_QUERY}, and required without one`),
  labelColumn: z.string().optional().describe(`Column for the x axis or the labels. ${OF_QUERY}, and required without one`),
  dataColumn: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe(`Column for the y axis or the values; repeated: one series for each. ${OF_QUERY}, and required without one`),
  seriesColumn: z.string().optional().describe('Column: one series for each of its values, with one data column'),
  stacked: stacked.optional().describe('How several series of bars and areas are drawn; default none'),
  aggregate: aggregate.optional().describe('What becomes of rows with the same label; default sum'),
  sortBy: sortBy.optional().describe('Order of the labels; default none, that of the rows'),
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
  barOrientation: barOrientation.optional().describe('Default vertical'),
  barWidth: z.string().optional().describe('Percent of the available space, 1 to 100; default 60'),
  theme: chartTheme.optional().describe("Default auto: follows the reader's system"),
  frameAncestors: z
    .string()
    .optional()
    .describe(
      'Pages that may frame the chart, as in a Content-Security-Policy; default: those of the settings, which hold in any case',
    ),
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

nameSchemas({ EmbedLink: linkResponse });
