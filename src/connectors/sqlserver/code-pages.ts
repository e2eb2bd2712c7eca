import { Collation } from 'tedious/lib/collation.js';

/** Reads text in the code page of a collation. Throws where we do not know it, rather than show other letters. */
export function codePageText(codePage: string | undefined): (bytes: Buffer, start: number, end: number) => string {
  const name = codePage?.toLowerCase() ?? 'utf-8';
  if (name === 'utf-8') return (bytes, start, end) => bytes.toString('utf8', start, end);
  const upper = oldPages.get(name);
  const decoder = upper === undefined ? new TextDecoder(labels.get(name) ?? name.replace(/^cp/, 'windows-')) : undefined;
  return (bytes, start, end) => {
    if (isAscii(bytes, start, end)) return bytes.toString('latin1', start, end);
    if (decoder !== undefined) return decoder.decode(bytes.subarray(start, end));
    let text = '';
    for (const byte of bytes.subarray(start, end)) text += byte < 128 ? String.fromCharCode(byte) : upper?.charAt(byte - 128);
    return text;
  };
}

/** Of the five bytes of a collation. */
export const codePageOf = (bytes: Buffer, at: number): string | undefined =>
  Collation.fromBuffer(bytes.subarray(at, at + 5)).codepage;

const labels: ReadonlyMap<string, string> = new Map([
  ['cp932', 'shift_jis'],
  ['cp936', 'gbk'],
  ['cp949', 'euc-kr'],
  ['cp950', 'big5'],
]);

/** The upper halves of the two code pages that the platform does not know. */
const oldPages: ReadonlyMap<string, string> = new Map([
  [
    'cp437',
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  ],
  [
    'cp850',
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
  ],
]);

function isAscii(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if ((bytes[at] ?? 0) > 127) return false;
  return true;
}
