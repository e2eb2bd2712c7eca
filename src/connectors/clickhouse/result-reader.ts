import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { describeForeignResponse } from '../error-text.ts';

export interface NamedType {
  readonly name: string;
  readonly type: string;
}

/** Rows as received, in UTF-8. */
export interface RawRows {
  readonly bytes: Buffer;
  /** The start and the end of each cell, which is JSON: `12`, `"text"`, `[1,2]`, `null`. */
  readonly bounds: Uint32Array;
}

/** The beginning of an error of the server. Older ones write `Code: 62, e.displayText() = DB::Exception: …`. */
export const serverError = /Code: (\d+)[.,] (?:e\.displayText\(\) = )?DB::\w*Exception: /;

/** The server ended the result early, with or without an error message. */
export class BrokenResultError extends Error {}

const head = /"data":\s*\[/;
const mostHead = 16 * 1024 * 1024;

/**
 * Parses the format JSONCompact as a stream: `{"meta": […], "data": [[…], […]], "rows": 2, …}`. The number of rows at the end
 * proves that the result is complete; an error during the query is text instead of further rows.
 */
export class ResultReader {
  columns: readonly NamedType[] = [];

  readonly #chunks: AsyncIterator<Buffer>;
  #bytes: Buffer = nothing; // unread
  #count = 0;
  #length = 0;
  #over = false;

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** The bytes that were read, without compression. */
  get length(): number {
    return this.#length;
  }

  /** Resolves when the columns are known. */
  async start(): Promise<void> {
    for (;;) {
      const found = head.exec(this.#bytes.toString('latin1'));
      if (found !== null) {
        this.columns = metaOf(this.#bytes.toString('utf8', 0, found.index));
        this.#bytes = this.#bytes.subarray(found.index + found[0].length);
        return;
      }
      if (this.#bytes.length > mostHead || !(await this.#readMore()))
        throw toBrokenResult(this.#bytes.toString(), describeForeignResponse('ClickHouse'));
    }
  }

  /** The next rows; undefined at the end of a complete result. */
  async next(): Promise<RawRows | undefined> {
    while (!this.#over) {
      const { length } = this.columns;
      const { bounds, end, isOver } = scanRows(this.#bytes, length);
      const bytes = this.#bytes.subarray(0, end);
      this.#over = isOver;
      this.#bytes = this.#bytes.subarray(end);
      if (bounds.length > 0) {
        this.#count += bounds.length / (2 * length);
        if (isUtf8(bytes)) return { bytes, bounds };
        const readable = Buffer.from(bytes.toString()); // texts can be any bytes
        return { bytes: readable, bounds: scanRows(readable, length).bounds };
      }
      if (!this.#over && !(await this.#readMore())) throw toBrokenResult(this.#bytes.toString());
    }
    while (await this.#readMore());
    this.#checkEnd();
    return undefined;
  }

  /** Reads a chunk, or of a long row as many bytes as there are already: joining it with each chunk would take quadratic time. */
  async #readMore(): Promise<boolean> {
    const parts = [this.#bytes];
    for (let missing = this.#bytes.length < longRow ? 1 : this.#bytes.length; missing > 0;) {
      const { done, value } = await this.#chunks.next();
      if (done === true) break;
      parts.push(value);
      this.#length += value.length;
      missing -= value.length;
    }
    this.#bytes = parts.length === 2 && this.#bytes.length === 0 ? (parts[1] ?? nothing) : Buffer.concat(parts);
    return parts.length > 1;
  }

  #checkEnd(): void {
    const text = this.#bytes.toString();
    let tail: { rows?: unknown; exception?: unknown };
    try {
      tail = JSON.parse(`{"data":[]${text}`);
    } catch {
      throw toBrokenResult(text);
    }
    if (tail.exception !== undefined) throw toBrokenResult(String(tail.exception));
    if (Number(tail.rows) !== this.#count) throw toBrokenResult(text);
  }
}

interface Scanned {
  readonly bounds: Uint32Array;
  readonly end: number; // of the last complete row, or of the list
  readonly isOver: boolean;
}

/** Finds the cells of all complete rows. Throws BrokenResultError. */
function scanRows(bytes: Buffer, columns: number): Scanned {
  const { length } = bytes;
  let bounds = new Uint32Array(1024);
  let known = 0; // of the bounds, those of complete rows
  let end = 0;
  for (;;) {
    let at = end;
    while (at < length && isGap(bytes[at] ?? 0)) at++;
    if (at >= length) break;
    if (bytes[at] === closing) return { bounds: bounds.slice(0, known), end: at + 1, isOver: true };
    if (bytes[at] !== opening) throw toBrokenResult(bytes.toString('utf8', at));
    if (known + columns * 2 > bounds.length) bounds = enlarge(bounds, known + columns * 2);
    let bound = known;
    let depth = 1;
    let start = ++at;
    for (; at < length && depth > 0; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === quote) {
        for (at++; at < length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++;
      } else if (byte === opening || byte === openingBrace) depth++;
      else if (byte === closing || byte === closingBrace) depth--;
      else if (byte !== comma) continue;
      if (depth > 1 || byte === quote || (depth === 1 && byte !== comma)) continue;
      let last = at;
      while (isGap(bytes[start] ?? 0)) start++;
      while (isGap(bytes[last - 1] ?? 0)) last--;
      bounds[bound++] = start;
      bounds[bound++] = last;
      start = at + 1;
    }
    if (depth > 0) break;
    if (bound !== known + columns * 2) throw toBrokenResult(bytes.toString('utf8', end));
    known = bound;
    end = at;
  }
  return { bounds: bounds.slice(0, known), end, isOver: false };
}

function enlarge(bounds: Uint32Array<ArrayBuffer>, needed: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(bounds.length * 4, needed));
  larger.set(bounds);
  return larger;
}

/** All rows of an internal statement, as text. */
export async function readRows(stream: Readable): Promise<readonly (readonly string[])[]> {
  const reader = new ResultReader(stream);
  await reader.start();
  const rows: string[][] = [];
  for (let next = await reader.next(); next !== undefined; next = await reader.next()) {
    const { bytes, bounds } = next;
    for (let row = 0; row < bounds.length; row += 2 * reader.columns.length) {
      rows.push(
        reader.columns.map((_, column) => {
          const at = row + 2 * column;
          return String(JSON.parse(bytes.toString('utf8', bounds[at], bounds[at + 1])) ?? '');
        }),
      );
    }
  }
  return rows;
}

const nothing = Buffer.alloc(0);
const longRow = 1 << 20;
const quote = 34;
const backslash = 92;
const comma = 44;
const opening = 91;
const closing = 93;
const openingBrace = 123;
const closingBrace = 125;

const isGap = (byte: number): boolean => byte <= 32 || byte === comma;

function metaOf(text: string): readonly NamedType[] {
  try {
    const { meta } = JSON.parse(`${text}"data":[]}`);
    if (Array.isArray(meta)) return meta;
  } catch {}
  throw toBrokenResult(text);
}

function toBrokenResult(text: string, otherwise = 'The result broke off before its end.'): BrokenResultError {
  const at = text.search(serverError);
  return new BrokenResultError(at < 0 ? otherwise : text.slice(at));
}
