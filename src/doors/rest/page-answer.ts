import type { Page } from '../../delivery/use-cases/page.ts';

/** Rows are bytes already; only the envelope is written here. */
export function pageAnswer(page: Page): Buffer {
  return envelope(
    '{"Data":[',
    page,
    `],"RowSize":${page.rowSize},"NextRowIndex":${page.nextRowIndex},"QueryMoreCode":${JSON.stringify(page.code)}}`,
  );
}

export function chartAnswer(page: Page): Buffer {
  const columns = page.columns.map((column) => ({ Name: column.label, Type: column.class }));
  return envelope(
    `{"Columns":${JSON.stringify(columns)},"Data":[`,
    page,
    `],"RowSize":${page.rowSize},"NextRowIndex":${page.nextRowIndex},"QueryMoreCode":${JSON.stringify(page.code)}}`,
  );
}

export function shortAnswer(page: Page): Buffer {
  return envelope(
    '{"data":[',
    page,
    `],"rowSize":${page.rowSize},"nextRowIndex":${page.nextRowIndex},"queryMoreCode":${JSON.stringify(page.code)}}`,
  );
}

const envelope = (head: string, page: Page, tail: string): Buffer =>
  Buffer.concat([Buffer.from(head), page.rows, Buffer.from(tail)]);
