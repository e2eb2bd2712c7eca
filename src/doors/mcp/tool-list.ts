import type { RunnableQuery } from '../../pipeline/find-query.ts';
import { type JsonSchema, string } from '../wire/json-schema.ts';
import type { Tool } from './tool.ts';
import { getUserProfile, listDatabases, listQueries, getQueryDetail, getQueryParameters } from './tools/browsing.ts';
import { executeChartQuery, executeQuery, executeQueryNextPage, resumeStream, startStream, exportQuery } from './tools/pages.ts';
import { createTypedTools } from './typed-tools.ts';

/** All tools, in the order in which a model typically needs them. */
export const tools: readonly Tool[] = [
  getUserProfile,
  listQueries,
  listDatabases,
  getQueryDetail,
  getQueryParameters,
  executeQuery,
  executeQueryNextPage,
  startStream,
  resumeStream,
  exportQuery,
  executeChartQuery,
];

/** The tools of a key that has one for each query, in place of those that run any query. */
export function toolsFor(queries: readonly RunnableQuery[]): readonly Tool[] {
  const names = tools.map(({ name }) => name);
  return [...tools.filter((each) => !general.has(each)), ...createTypedTools(queries, names)];
}

const general: ReadonlySet<Tool> = new Set([executeQuery, startStream, resumeStream, executeChartQuery]);

export type ListedTool = ReturnType<typeof describeTools>[number];

/** The tools as listed for clients, without the key argument if a header carries the key. */
export const describeTools = (withKey: boolean, listed: readonly Tool[] = tools) =>
  listed.map(({ name, title, description, arguments: declared, output, app }) => ({
    name,
    title,
    description,
    inputSchema: {
      type: 'object',
      properties: {
        ...(withKey ? { apiKey } : {}),
        ...Object.fromEntries(
          Object.entries(declared).flatMap(([argument, each]) => (each.unlisted === true ? [] : [[argument, each.modelSchema]])),
        ),
      },
      required: [
        ...(withKey ? ['apiKey'] : []),
        ...Object.entries(declared).flatMap(([argument, each]) =>
          each.required || each.listedAsRequired === true ? [argument] : [],
        ),
      ],
    },
    outputSchema: output,
    annotations: { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    ...metaOf(app, output),
  }));

/** Claude Code shows a model only the first 2 kB of results of more than 50,000 characters, unless the tool announces longer ones. */
const MOST_CHARACTERS = 100_000;

function metaOf(app: string | undefined, { properties }: JsonSchema): { _meta?: Record<string, unknown> } {
  const meta = {
    ...(app === undefined ? {} : { ui: { resourceUri: app } }),
    ...(properties?.Data === undefined ? {} : { 'anthropic/maxResultSizeChars': MOST_CHARACTERS }),
  };
  return Object.keys(meta).length === 0 ? {} : { _meta: meta };
}

const apiKey = string(
  "The user's Sluice API key (slc_…) from My Account → API Keys. Ask the user for it; never make one up or show it.",
);
