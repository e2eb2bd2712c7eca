/** A file name from user input: valid on every system, without a path. */
export function fileNameOf(requested: string, extension: string): string {
  const ending = `.${extension}`;
  const named = requested.toLowerCase().endsWith(ending) ? requested.slice(0, -ending.length) : requested;
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

/** A file name for the path of an address: its letters, digits and hyphens stay readable there. */
export const pathNameOf = (name: string, extension: string): string =>
  fileNameOf(name.normalize('NFC').replace(/[^\p{L}\p{N}._-]+/gu, '-'), extension);

/**
 * RFC 6266: an ASCII name for every client, and the full name for those that support RFC 8187. `fileName` comes from
 * `fileNameOf`.
 */
export function dispositionOf(type: 'attachment' | 'inline', fileName: string): string {
  const plain = fileName
    .normalize('NFKD')
    .replace(/\p{Mn}+/gu, '')
    .replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  const quoted = `${type}; filename="${plain}"`;
  return plain === fileName ? quoted : `${quoted}; filename*=UTF-8''${encodeExtended(fileName)}`;
}

const LONGEST = 100;
// path separators, wildcards, control characters and marks that change the text direction
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu;
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
const encodeExtended = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
