import { withoutNul } from './text.ts';

/**
 * A Bloom filter of the character sequences in a block of entries: sequences of three for short texts, and of six for identifiers and
 * addresses, whose triples occur in every block. A text whose bits are not all set is in no entry of the block.
 */
const SIGNATURE_BYTES = 1_920; // with its row, fits twice into a page of SQLite and into PostgreSQL's limit for values stored in the row

const BITS = SIGNATURE_BYTES * 8;
const MIN_LENGTH = 3;
const BITS_OF_USER = 6;
const MAX_BITS = 64; // of a search: more would exclude hardly any further block

interface SignedEntry {
  readonly searchText: string;
  readonly userId: string | null;
}

export function signatureOf(entries: readonly SignedEntry[]): Uint8Array {
  const signature = new Uint8Array(SIGNATURE_BYTES);
  for (const { searchText } of entries) addSequences(signature, searchText);
  const users = new Set(entries.map(({ userId }) => userId));
  for (const user of users) if (user !== null) for (const bit of bitsOfUser(user)) add(signature, bit);
  return signature;
}

/** Bits that every block with this normalized text has; null if the text is too short. */
export function bitsOfText(text: string): readonly number[] | null {
  const [stored = ''] = withoutNul([text]).map((each) => each.toWellFormed()); // as it is stored
  if (stored.length < MIN_LENGTH) return null;
  const signature = new Uint8Array(SIGNATURE_BYTES);
  addSequences(signature, stored);
  const bits: number[] = [];
  for (let bit = 0; bit < BITS && bits.length < MAX_BITS; bit++) if (has(signature, bit)) bits.push(bit);
  return bits;
}

/** Entries are also found by the current full name of their user, which they do not contain. */
export function bitsOfUser(id: string): readonly number[] {
  let hash = 0;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return Array.from({ length: BITS_OF_USER }, (_, n) => bitOf(hash + Math.imul(n, 0x9e3779b1)));
}

const has = (signature: Uint8Array, bit: number): boolean => (((signature[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1;

function add(signature: Uint8Array, bit: number): void {
  signature[bit >> 3] = (signature[bit >> 3] ?? 0) | (1 << (bit & 7));
}

function addSequences(signature: Uint8Array, text: string): void {
  let first = text.charCodeAt(0);
  let second = text.charCodeAt(1);
  // the hashes of the three characters that end one, two and three characters before
  let one = 0;
  let two = 0;
  let three = 0;
  for (let at = 2; at < text.length; at++) {
    const last = text.charCodeAt(at);
    const hash = Math.imul(Math.imul(first, 0x01000193) ^ second, 0x01000193) ^ last;
    add(signature, bitOf(hash));
    if (at >= 5) add(signature, bitOf(Math.imul(three, 0x2c1b3c6d) ^ hash ^ 0x5bd1e995));
    first = second;
    second = last;
    three = two;
    two = one;
    one = hash;
  }
}

/** Spreads a hash evenly over the bits. */
function bitOf(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (((mixed ^ (mixed >>> 16)) >>> 16) * BITS) >>> 16;
}
