/** RFC 6266: a name in plain letters for every client, and the name itself for those who know RFC 8187. `fileName` is one of `fileNameOf`. */
export function attachment(fileName: string): string {
  const plain = fileName
    .normalize('NFKD')
    .replace(/\p{Mn}+/gu, '')
    .replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  const quoted = `attachment; filename="${plain}"`;
  return plain === fileName ? quoted : `${quoted}; filename*=UTF-8''${extended(fileName)}`;
}

const extended = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
