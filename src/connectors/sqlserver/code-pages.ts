import { Collation } from 'tedious/lib/collation.js';
import { ConnectorError } from '../connector.ts';

/** Decodes text in the code page of a collation. An unknown code page is an error. */
export function codePageText(codePage: string | undefined): (bytes: Buffer, start: number, end: number) => string {
  const decode = decoderOf(codePage?.toLowerCase());
  return (bytes, start, end) =>
    isAscii(bytes, start, end) ? bytes.toString('latin1', start, end) : decode(bytes.subarray(start, end));
}

function decoderOf(codePage: string | undefined): (bytes: Buffer) => string {
  if (codePage === undefined) return throwUnknownCodePage;
  if (codePage === 'utf-8') return (bytes) => bytes.toString('utf8');
  const upper = oldPages.get(codePage);
  if (upper !== undefined) return (bytes) => Array.from(bytes, (byte) => letterOf(byte, upper)).join('');
  const decoder = new TextDecoder(labels.get(codePage) ?? codePage.replace(/^cp/, 'windows-'));
  return (bytes) => decoder.decode(bytes);
}

const letterOf = (byte: number, upper: string): string => (byte < 128 ? String.fromCharCode(byte) : upper.charAt(byte - 128));

function throwUnknownCodePage(): never {
  throw new ConnectorError('failed', 'A column has a collation whose code page is not known. Cast it to nvarchar.');
}

/** The code page of a collation, from its five bytes. */
export const codePageOf = (bytes: Buffer, at: number): string | undefined =>
  Collation.fromBuffer(bytes.subarray(at, at + 5)).codepage;

const labels: ReadonlyMap<string, string> = new Map([
  ['cp932', 'shift_jis'],
  ['cp936', 'gbk'],
  ['cp949', 'euc-kr'],
  ['cp950', 'big5'],
]);

/** The upper halves of the two code pages that the platform does not support. */
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
