/**
 * Estimates how many tokens a model reads in JSON: a short word, three digits or a run of punctuation is one token. An exact count needs a
 * table of several megabytes, which differs between models. Letters of mixed case, as in base64, count as many short words.
 */
export function estimateTokens(bytes: Uint8Array, start: number, end: number): number {
  let tokens = 0;
  for (let at = start; at < end;) {
    const kind = kinds[bytes[at] ?? 0] ?? 0;
    const from = at;
    do at++;
    while (at < end && kinds[bytes[at] ?? 0] === kind);
    const isCapital = kind === UPPER && at - from === 1 && at < end && kinds[bytes[at] ?? 0] === LOWER;
    if (!isCapital) tokens += Math.ceil((at - from) / (bytesOfToken[kind] ?? 1)); // it belongs to the word after it
  }
  return tokens;
}

const [SPACE, LOWER, UPPER, DIGIT, JSON_MARK, MARK, OTHER, EMOJI] = [0, 1, 2, 3, 4, 5, 6, 7];
/** A space belongs to the word after it. */
const bytesOfToken = [Number.POSITIVE_INFINITY, 8, 4, 3, 4, 4, 6, 1];
const kinds = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x80) return byte >= 0xf0 ? EMOJI : OTHER; // the first of four bytes
  const letter = String.fromCharCode(byte);
  if (letter === ' ') return SPACE;
  if (/[a-z]/.test(letter)) return LOWER;
  if (/[A-Z]/.test(letter)) return UPPER;
  if (/\d/.test(letter)) return DIGIT;
  return /["{}[\]:,]/.test(letter) ? JSON_MARK : MARK;
});
