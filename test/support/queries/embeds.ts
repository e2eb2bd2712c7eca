import { expect } from 'vitest';
import type { ApiResponse, Caller } from '../services/service.ts';
import { publish } from './publish.ts';

export interface EmbedLink {
  readonly Id: string;
  readonly Token: string;
  readonly EmbedUrl: string;
  readonly IframeCode: string;
  readonly ExpiresAt: string | null;
}

/** Calls GetEmbedUrl with these parameters; `undefined` omits a default one. */
export function getEmbedUrl(
  caller: Caller,
  words: Readonly<Record<string, string | undefined>>,
  { method = 'POST', headers = {} }: { method?: 'GET' | 'POST'; headers?: Record<string, string> } = {},
): Promise<ApiResponse<EmbedLink>> {
  const all = { chartType: 'bar', labelColumn: 'label', dataColumn: 'value', ...words };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return caller.call(method, `/api/v1/EmbeddedChart/GetEmbedUrl?${new URLSearchParams(given)}`, undefined, headers);
}

export async function embedOf(caller: Caller, words: Readonly<Record<string, string | undefined>>): Promise<EmbedLink> {
  const response = await getEmbedUrl(caller, words);
  expect({ status: response.status, text: response.text }).toMatchObject({ status: 200 });
  return response.json;
}

/** Views the chart of a token. */
export const view = (caller: Caller, token: string, more = '', headers: Record<string, string> = {}) =>
  caller.call('GET', `/api/v1/EmbeddedChart/RenderByToken?token=${token}${more}`, undefined, headers);

/** A query with the columns `label` and `value`, and a third one that charts do not use. */
export const publishChartQuery = (author: Caller, name: string, more: Record<string, unknown> = {}) =>
  publish(author, {
    name,
    sql: "select 'item ' || i as label, i * 10 as value, 'hidden canary' as other from range(1, 6) r(i)",
    ...more,
  });
