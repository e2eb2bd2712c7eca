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
