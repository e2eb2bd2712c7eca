const longest = 31;

/** The names of a workbook's sheets, in order: all that Excel allows of the title, then the same with a number. */
export function sheetNamesOf(title: string): (index: number) => string {
  const base = allowed(title);
  return (index) => (index === 0 ? base : numbered(base, index + 1));
}

/** A name that no other sheet has; Excel does not tell `Notes` from `notes`. */
export function unusedName(wished: string, taken: readonly string[]): string {
  const used = new Set(taken.map((name) => name.toLowerCase()));
  let name = wished;
  for (let number = 2; used.has(name.toLowerCase()); number++) name = numbered(wished, number);
  return name;
}

function allowed(title: string): string {
  const clean = title
    .toWellFormed()
    .replace(/[[\]:*?/\\\p{Cc}\ufffe\uffff]+/gu, ' ')
    .replace(/\s+/g, ' ');
  const name = cut(clean.replace(/^[' ]+/, ''), longest).replace(/[' ]+$/, '');
  if (name === '') return 'Result';
  return name.toLowerCase() === 'history' ? `${name}_` : name; // Excel keeps that one for itself
}

function numbered(base: string, number: number): string {
  const suffix = ` (${number})`;
  return cut(base, longest - suffix.length) + suffix;
}

/** At most that many UTF-16 units, and no half characters. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
