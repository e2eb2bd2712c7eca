/** A name that every system takes and that leads nowhere else, made of what a person wrote. */
export function fileNameOf(wished: string, extension: string): string {
  const ending = `.${extension}`;
  const named = wished.toLowerCase().endsWith(ending) ? wished.slice(0, -ending.length) : wished;
  const plain = named
    .normalize('NFC')
    .replace(unsafe, ' ')
    .replace(/\s+/gu, ' ')
    .slice(0, LONGEST)
    .replace(/^[. ]+|[. ]+$/g, '')
    .toWellFormed();
  if (plain === '') return `export${ending}`;
  return `${reserved.test(plain) ? '_' : ''}${plain}${ending}`;
}

const LONGEST = 100;
// separators of paths, wildcards, controls and what turns the reading direction around
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu;
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
