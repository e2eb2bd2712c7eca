import type { Page } from '../../delivery/use-cases/page.ts';

/** Rows are bytes already; only what stands around them is written here. */
export interface PageAnswer {
  readonly head: string;
  readonly rows: Buffer;
  readonly tail: string;
}

export const pageAnswer = (page: Page): PageAnswer => ({
  head: '{"Data":[',
  rows: page.rows,
  tail: `],"RowSize":${page.rowSize},"NextRowIndex":${page.nextRowIndex},"QueryMoreCode":${JSON.stringify(page.code)}}`,
});

export function chartAnswer(page: Page): PageAnswer {
  const columns = page.columns.map((column) => ({ Name: column.label, Type: column.class }));
  return { ...pageAnswer(page), head: `{"Columns":${JSON.stringify(columns)},"Data":[` };
}

export const shortAnswer = (page: Page): PageAnswer => ({
  head: '{"data":[',
  rows: page.rows,
  tail: `],"rowSize":${page.rowSize},"nextRowIndex":${page.nextRowIndex},"queryMoreCode":${JSON.stringify(page.code)}}`,
});

export const bytesOf = ({ head, rows, tail }: PageAnswer): Buffer => Buffer.concat([Buffer.from(head), rows, Buffer.from(tail)]);

const SHORT = 4096;

/** A short one as text, which leaves in one piece with its headers. */
export const bodyOf = (answer: PageAnswer): string | Buffer =>
  answer.rows.length < SHORT ? answer.head + answer.rows.toString('utf8') + answer.tail : bytesOf(answer);
