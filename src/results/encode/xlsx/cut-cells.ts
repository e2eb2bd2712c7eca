import { escapeXml } from './cell-xml.ts';
import { cellStyles, sheetHead, sheetTail } from './workbook-parts.ts';

const mostListed = 1000;

/** Counts the cells that were cut and records the first ones. */
export class CutCells {
  count = 0;
  readonly #listed: (readonly [sheet: string, cell: string, length: number])[] = [];

  add(sheet: string, cell: string, length: number): void {
    this.count++;
    if (this.#listed.length < mostListed) this.#listed.push([sheet, cell, length]);
  }

  /** The sheet that lists the cells that were cut. */
  sheetXml(limit: number): string {
    const cells = this.count === 1 ? '1 cell was' : `${this.count} cells were`;
    const first = this.count > mostListed ? ` The first ${mostListed} are:` : '';
    const heading = `${cells} cut: a cell of a workbook holds ${limit} characters at most.${first}`;
    const rows = [
      `<row>${text(heading, true)}</row>`,
      `<row>${text('Sheet', true)}${text('Cell', true)}${text('Characters', true)}</row>`,
      ...this.#listed.map(([sheet, cell, length]) => `<row>${text(sheet)}${text(cell)}<c><v>${length}</v></c></row>`),
    ];
    return sheetHead([32, 12, 12], false) + rows.join('') + sheetTail;
  }
}

const text = (content: string, bold = false): string =>
  `<c${bold ? ` s="${cellStyles.header}"` : ''} t="inlineStr"><is><t>${escapeXml(content)}</t></is></c>`;
