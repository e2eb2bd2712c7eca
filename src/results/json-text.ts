import type { ByteWriter } from './byte-writer.ts';

/** Writes a string as JSON. */
export function writeJsonString(out: ByteWriter, text: string): void {
  if (needsNoEscape.test(text)) {
    out.reserve(text.length * 3 + 2);
    out.byte(quote);
    out.utf8(text);
    out.byte(quote);
    return;
  }
  out.utf8(JSON.stringify(text));
}

/** Writes UTF-8 bytes as a JSON string without decoding them. */
export function writeJsonBytes(out: ByteWriter, source: Uint8Array, start: number, end: number): void {
  out.reserve((end - start) * widestEscape + 2);
  const { bytes } = out;
  let at = out.length;
  bytes[at++] = quote;
  if (end - start > copyWholeFrom && isPlain(source, start, end)) {
    bytes.set(source.subarray(start, end), at);
    at += end - start;
  } else {
    at = escape(source, start, end, bytes, at);
  }
  bytes[at++] = quote;
  out.length = at;
}

const SLICE = 4096;

/** Writes the inside of a JSON string, with room for the escapes that are there: for long texts. */
export function writeEscaped(out: ByteWriter, source: Uint8Array): void {
  for (let start = 0; start < source.length; start += SLICE) {
    const end = Math.min(start + SLICE, source.length);
    out.reserve((end - start) * widestEscape);
    out.length = escape(source, start, end, out.bytes, out.length);
  }
}

/** Returns where the target ends. */
function escape(source: Uint8Array, start: number, end: number, target: Uint8Array, at: number): number {
  for (let i = start; i < end; i++) {
    const byte = source[i] ?? 0;
    const letter = escapes[byte] ?? 0;
    if (letter === 0) {
      target[at++] = byte;
      continue;
    }
    target[at++] = backslash;
    target[at++] = letter;
    if (letter !== letterU) continue;
    target[at++] = zero;
    target[at++] = zero;
    target[at++] = zero + (byte >> 4);
    target[at++] = hexDigits.charCodeAt(byte & 15);
  }
  return at;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Replaces the control characters of JSON from `start` on by spaces. They can only be between tokens, and ndjson needs one line
 * per row.
 */
export function blankControls({ bytes, length }: ByteWriter, start: number): void {
  for (let at = start; at < length; at++) if ((bytes[at] ?? blank) < blank) bytes[at] = blank;
}

function isPlain(source: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (escapes[source[i] ?? 0] !== 0) return false;
  return true;
}

const blank = 32;
const quote = 34;
const backslash = 92;
const zero = 48;
const letterU = 117;
const widestEscape = 6; // \u0001
const hexDigits = '0123456789abcdef';
const copyWholeFrom = 48; // shorter texts are faster in a loop
const needsNoEscape = /^[\x20\x21\x23-\x5b\x5d-\ud7ff]*$/;

/** For each byte the letter after its backslash; 0: no escape. */
export const escapes = new Uint8Array(256);
escapes.fill(letterU, 0, 32);
for (const [byte, letter] of [
  [8, 'b'],
  [9, 't'],
  [10, 'n'],
  [12, 'f'],
  [13, 'r'],
  [quote, '"'],
  [backslash, '\\'],
] as const) {
  escapes[byte] = letter.charCodeAt(0);
}
