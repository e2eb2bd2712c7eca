import { escapeXml } from './cell-xml.ts';
import { cellStyles, sheetHead, sheetTail } from './workbook-parts.ts';

const mostListed = 1000;

export interface CutCells {
  readonly count: number;
  add(sheet: string, cell: string, length: number): void;
  /** The sheet that lists the cells that were cut. */
  sheetXml(limit: number): string;
}

/** Counts the cells that were cut and records the first ones. */
export function cutCells(): CutCells {
  const listed: (readonly [sheet: string, cell: string, length: number])[] = [];
  let count = 0;
  return {
    get count() {
      return count;
    },
    add(sheet, cell, length) {
      count++;
      if (listed.length < mostListed) listed.push([sheet, cell, length]);
    },
    sheetXml(limit) {
      const cells = count === 1 ? '1 cell was' : `${count} cells were`;
      const first = count > mostListed ? ` The first ${mostListed} are:` : '';
      const heading = `${cells} cut: a cell of a workbook holds ${limit} characters at most.${first}`;
      const rows = [
        `<row>${text(heading, true)}</row>`,
        `<row>${text('Sheet', true)}${text('Cell', true)}${text('Characters', true)}</row>`,
        ...listed.map(([sheet, cell, length]) => `<row>${text(sheet)}${text(cell)}<c><v>${length}</v></c></row>`),
      ];
      return sheetHead([32, 12, 12], false) + rows.join('') + sheetTail;
    },
  };
}

const text = (content: string, bold = false): string =>
  `<c${bold ? ` s="${cellStyles.header}"` : ''} t="inlineStr"><is><t>${escapeXml(content)}</t></is></c>`;
