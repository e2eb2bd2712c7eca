import { setTimeout as sleep } from 'node:timers/promises';
import { SALES_ROWS } from './sales.ts';
import type { Sluice } from './sluice.ts';

export const ROWS = 1000; // of a page

interface Page {
  readonly rows: number;
  readonly firstId: number;
  readonly lastId: number;
  readonly code: string | null;
  readonly ms: number;
}

/** Reads all rows in pages of 1000 and returns the seconds that it took. `coding`: what the client accepts. */
export async function walkSluice(sluice: Sluice, coding = 'identity'): Promise<number> {
  const startedAt = performance.now();
  let rows = 0;
  let code: string | null = null;
  do {
    const page: Page = await fetchSluicePage(sluice, {
      'Accept-Encoding': coding,
      ...(code === null ? {} : { QueryMoreCode: code }),
    });
    rows += page.rows;
    code = page.code;
  } while (code !== null);
  return checkFinished('Sluice', rows, startedAt);
}

export async function walkBare(url: string): Promise<number> {
  const startedAt = performance.now();
  let rows = 0;
  for (let last = 0; ;) {
    const { rows: count, lastId } = await fetchPage(`${url}/keyset?v=${last}`, {});
    if (count === 0) return checkFinished('bare', rows, startedAt);
    rows += count;
    last = lastId;
  }
}

/** Waits until a snapshot of all rows is complete and returns the code of its pages. */
export async function waitForSnapshot(sluice: Sluice): Promise<string> {
  const first = await fetchSluicePage(sluice, {});
  const code = first.code ?? '';
  for (let page = first; page.firstId !== SALES_ROWS - ROWS + 1; await sleep(20)) {
    page = await fetchSluicePage(sluice, { QueryMoreCode: code, RowIndex: String(SALES_ROWS - ROWS) }); // waits for the drain
  }
  return code;
}

/** The median times of the second page and of the page at row 990,000 of a finished snapshot. */
export async function measureLatePage(sluice: Sluice): Promise<{ early: number; late: number }> {
  const code = await waitForSnapshot(sluice);
  const early: number[] = [];
  const late: number[] = [];
  for (let turn = 0; turn < 25; turn++) {
    early.push((await fetchPageAt(sluice, code, ROWS)).ms);
    late.push((await fetchPageAt(sluice, code, 990_000)).ms);
  }
  return { early: median(early), late: median(late) };
}

export async function fetchPageAt(sluice: Sluice, code: string, rowIndex: number): Promise<Page> {
  const page = await fetchSluicePage(sluice, { QueryMoreCode: code, RowIndex: String(rowIndex) });
  if (page.rows !== ROWS || page.firstId !== rowIndex + 1)
    throw new Error(`The page at row ${rowIndex} has other rows than expected.`);
  return page;
}

const fetchSluicePage = ({ url, key }: Sluice, headers: Readonly<Record<string, string>>): Promise<Page> =>
  fetchPage(`${url}/api/v1/JsonBuilder/ExecuteQuery`, {
    method: 'POST',
    headers: {
      'X-API-Key': key,
      'Content-Type': 'application/json',
      'Accept-Encoding': 'identity',
      RowSize: String(ROWS),
      ...headers,
    },
    body: JSON.stringify({ QueryName: 'QD_all_Sales', Parameters: [] }),
  });

/** Does not parse the JSON, so that the client costs both sides equally little. */
async function fetchPage(url: string, init: RequestInit): Promise<Page> {
  const startedAt = performance.now();
  const response = await fetch(url, init);
  const text = await response.text();
  const ms = performance.now() - startedAt;
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  const ids = text.match(/"id":\d+/g) ?? [];
  const readId = (found: string | undefined): number => Number(found?.slice(5) ?? 0);
  const code = /"QueryMoreCode":"([^"]+)"\}$/.exec(text)?.[1] ?? null;
  return { rows: ids.length, firstId: readId(ids[0]), lastId: readId(ids.at(-1)), code, ms };
}

function checkFinished(server: string, rows: number, startedAt: number): number {
  if (rows !== SALES_ROWS) throw new Error(`${server} returned ${rows} rows instead of ${SALES_ROWS}.`);
  return (performance.now() - startedAt) / 1000;
}

export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
