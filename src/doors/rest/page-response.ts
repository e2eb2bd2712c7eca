import type { Page } from '../../pipeline/use-cases/page.ts';
import { freeBytes } from '../../results/byte-writer.ts';

/** The rows are already encoded; only the envelope is written here. */
export interface PageResponse {
  readonly head: string;
  readonly rows: Buffer;
  readonly ownsRows: boolean;
  readonly tail: string;
}

export const pageResponse = (page: Page): PageResponse => ({
  head: '{"Data":[',
  rows: page.rows,
  ownsRows: page.ownsRows,
  tail: `],"RowSize":${page.rowSize},"NextRowIndex":${page.nextRowIndex},"QueryMoreCode":${JSON.stringify(page.code)}}`,
});

export function chartResponse(page: Page): PageResponse {
  const columns = page.columns.map((column) => ({ Name: column.label, Type: column.class }));
  return { ...pageResponse(page), head: `{"Columns":${JSON.stringify(columns)},"Data":[` };
}

export const toShortResponse = (page: Page): PageResponse => ({
  head: '{"data":[',
  rows: page.rows,
  ownsRows: page.ownsRows,
  tail: `],"rowSize":${page.rowSize},"nextRowIndex":${page.nextRowIndex},"queryMoreCode":${JSON.stringify(page.code)}}`,
});

/** Frees the rows if they are its own. */
export function bytesOf({ head, rows, ownsRows, tail }: PageResponse): Buffer {
  const bytes = Buffer.concat([Buffer.from(head), rows, Buffer.from(tail)]);
  if (ownsRows) freeBytes(rows);
  return bytes;
}

const SHORT = 4096;

/** Short responses are sent as text, in one packet with the headers. */
export const bodyOf = (response: PageResponse): string | Buffer =>
  response.rows.length < SHORT ? response.head + response.rows.toString('utf8') + response.tail : bytesOf(response);
