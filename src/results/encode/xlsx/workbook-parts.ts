/** The parts of a workbook other than its rows. */

export const cellStyles = {
  header: 1,
  date: 2,
  timestamp: 3,
  timestampWithFraction: 4,
  instant: 5,
  instantWithFraction: 6,
  firstOfColumns: 7, // number formats, in their order
} as const;

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packaged = 'http://schemas.openxmlformats.org/package/2006';
const spreadsheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** All files other than the sheets (`xl/worksheets/sheet1.xml` and so on). Names and codes of number formats are escaped already. */
export function workbookParts(
  sheetNames: readonly string[],
  numberFormats: readonly string[],
): readonly (readonly [path: string, xml: string])[] {
  return [
    ['xl/styles.xml', stylesOf([...momentFormats, ...numberFormats])],
    ['xl/workbook.xml', workbook(sheetNames)],
    ['xl/_rels/workbook.xml.rels', workbookRelations(sheetNames.length)],
    ['_rels/.rels', packageRelations],
    ['[Content_Types].xml', contentTypes(sheetNames.length)],
  ];
}

/** The sheet up to its first row. The header row is frozen. */
export function sheetHead(widths: readonly number[], isFirst: boolean): string {
  const columns = widths.map((width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`);
  return (
    `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView${isFirst ? ' tabSelected="1"' : ''} workbookViewId="0">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft"/></sheetView></sheetViews>' +
    `<sheetFormatPr defaultRowHeight="15"/>${columns.length > 0 ? `<cols>${columns.join('')}</cols>` : ''}<sheetData>`
  );
}

export const sheetTail = '</sheetData></worksheet>';

const repeatNumbered = (count: number, each: (number: number) => string): string =>
  Array.from({ length: count }, (_, index) => each(index + 1)).join('');

function workbook(sheetNames: readonly string[]): string {
  const sheets = sheetNames.map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`);
  return (
    `${declaration}<workbook xmlns="${main}" xmlns:r="${relations}"><bookViews><workbookView/></bookViews>` +
    `<sheets>${sheets.join('')}</sheets></workbook>`
  );
}

const workbookRelations = (sheets: number): string =>
  `${declaration}<Relationships xmlns="${packaged}/relationships">` +
  repeatNumbered(sheets, (n) => `<Relationship Id="rId${n}" Type="${relations}/worksheet" Target="worksheets/sheet${n}.xml"/>`) +
  `<Relationship Id="rId${sheets + 1}" Type="${relations}/styles" Target="styles.xml"/></Relationships>`;

const packageRelations =
  `${declaration}<Relationships xmlns="${packaged}/relationships">` +
  `<Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`;

const contentTypes = (sheets: number): string =>
  `${declaration}<Types xmlns="${packaged}/content-types">` +
  '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
  '<Default Extension="xml" ContentType="application/xml"/>' +
  `<Override PartName="/xl/workbook.xml" ContentType="${spreadsheet}.sheet.main+xml"/>` +
  `<Override PartName="/xl/styles.xml" ContentType="${spreadsheet}.styles+xml"/>` +
  repeatNumbered(
    sheets,
    (n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${spreadsheet}.worksheet+xml"/>`,
  ) +
  '</Types>';

/** In the order of `cellStyles`; instants are in UTC and end in Z. */
const timestamps = ['', '.000', '&quot;Z&quot;', '.000&quot;Z&quot;'].map((rest) => `yyyy\\-mm\\-dd\\ hh:mm:ss${rest}`);
const momentFormats = ['yyyy\\-mm\\-dd', ...timestamps];
const firstFormat = 164; // lower ids are built into Excel

const stylesOf = (formats: readonly string[]): string =>
  `${declaration}<styleSheet xmlns="${main}"><numFmts count="${formats.length}">` +
  formats.map((code, index) => `<numFmt numFmtId="${firstFormat + index}" formatCode="${code}"/>`).join('') +
  '</numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font>' +
  '<font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  `<cellXfs count="${formats.length + 2}"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
  '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>' +
  formats
    .map(
      (_, index) => `<xf numFmtId="${firstFormat + index}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`,
    )
    .join('') +
  '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';

const longest = 31;

/** Names of the sheets in order: the title as far as Excel allows it, then the title with a number. */
export function sheetNamesOf(title: string): (index: number) => string {
  const base = cleanTitle(title);
  return (index) => (index === 0 ? base : addNumber(base, index + 1));
}

/** A name that no other sheet has, ignoring case as Excel does. */
export function makeUnique(wanted: string, names: readonly string[]): string {
  const used = new Set(names.map((name) => name.toLowerCase()));
  let name = wanted;
  for (let number = 2; used.has(name.toLowerCase()); number++) name = addNumber(wanted, number);
  return name;
}

function cleanTitle(title: string): string {
  const clean = title
    .toWellFormed()
    .replace(/[[\]:*?/\\\p{Cc}\ufffe\uffff]+/gu, ' ')
    .replace(/\s+/g, ' ');
  const name = cut(clean.replace(/^[' ]+/, ''), longest).replace(/(?<![' ])[' ]+$/, '');
  if (name === '') return 'Result';
  return name.toLowerCase() === 'history' ? `${name}_` : name; // reserved by Excel
}

function addNumber(base: string, number: number): string {
  const suffix = ` (${number})`;
  return cut(base, longest - suffix.length) + suffix;
}

/** At most `length` UTF-16 units, without splitting a surrogate pair. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
