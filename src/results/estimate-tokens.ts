/**
 * About how many tokens a model reads in JSON: a short word, three digits or a run of punctuation are one. Counting them exactly takes a
 * table of megabytes, and each model has another one.
 */
export function estimateTokens(bytes: Uint8Array, start: number, end: number): number {
  let tokens = 0;
  for (let at = start; at < end;) {
    const kind = kinds[bytes[at] ?? 0] ?? 0;
    const from = at;
    do at++;
    while (at < end && kinds[bytes[at] ?? 0] === kind);
    tokens += Math.ceil((at - from) / (bytesOfToken[kind] ?? 1));
  }
  return tokens;
}

const [SPACE, LETTER, DIGIT, MARK, OTHER] = [0, 1, 2, 3, 4];
/** A space belongs to the word after it. */
const bytesOfToken = [Number.POSITIVE_INFINITY, 8, 3, 4, 6];
const kinds = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x80) return OTHER;
  const letter = String.fromCharCode(byte);
  if (letter === ' ') return SPACE;
  if (/[a-z]/i.test(letter)) return LETTER;
  return /\d/.test(letter) ? DIGIT : MARK;
});
