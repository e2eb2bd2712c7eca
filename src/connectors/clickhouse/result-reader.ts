import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { describeForeignResponse } from '../error-text.ts';

/** The cells of a row as JSON text: `12`, `"text"`, `[1,2]`; null for NULL. */
export type RawRow = readonly (string | null)[];

export interface NamedType {
  readonly name: string;
  readonly type: string;
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
  readonly #decoder = new StringDecoder('utf8');
  #text = '';
  #at = 0;
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
      const found = head.exec(this.#text);
      if (found !== null) {
        this.columns = metaOf(this.#text.slice(0, found.index));
        this.#at = found.index + found[0].length;
        return;
      }
      if (this.#text.length > mostHead || !(await this.#readMore()))
        throw toBrokenResult(this.#text, describeForeignResponse('ClickHouse'));
    }
  }

  /** The next rows; undefined at the end of a complete result. */
  async next(): Promise<readonly RawRow[] | undefined> {
    while (!this.#over) {
      const rows: RawRow[] = [];
      while (!this.#over) {
        const row = this.#row();
        if (row === undefined) break;
        rows.push(row);
      }
      this.#text = this.#text.slice(this.#at);
      this.#at = 0;
      if (rows.length > 0) {
        this.#count += rows.length;
        return rows;
      }
      if (!this.#over && !(await this.#readMore())) throw toBrokenResult(this.#text);
    }
    while (await this.#readMore());
    this.#checkEnd();
    return undefined;
  }

  async #readMore(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    this.#length += value?.length ?? 0;
    this.#text += done === true ? this.#decoder.end() : this.#decoder.write(value);
    return done !== true;
  }

  /** The next row, if it is complete. At the end of the list `#over` is set. */
  #row(): RawRow | undefined {
    const text = this.#text;
    let at = this.#at;
    while (isGap(text.charCodeAt(at))) at++;
    const first = text.charCodeAt(at);
    if (Number.isNaN(first)) return undefined;
    if (first === closing) {
      this.#over = true;
      this.#at = at + 1;
      return undefined;
    }
    if (first !== opening) throw toBrokenResult(text.slice(at));
    const cells: (string | null)[] = [];
    let depth = 1;
    let start = ++at;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === quote) {
        at = stringEnd(text, at);
        if (at < 0) return undefined;
      } else if (code === opening || code === openingBrace) depth++;
      else if (code === comma && depth === 1) {
        cells.push(cellAt(text, start, at));
        start = at + 1;
      } else if (code === closing || code === closingBrace) {
        depth--;
        if (depth > 0) continue;
        cells.push(cellAt(text, start, at));
        if (cells.length !== this.columns.length) throw toBrokenResult(text.slice(this.#at));
        this.#at = at + 1;
        return cells;
      }
    }
    return undefined;
  }

  #checkEnd(): void {
    let tail: { rows?: unknown; exception?: unknown };
    try {
      tail = JSON.parse(`{"data":[]${this.#text}`);
    } catch {
      throw toBrokenResult(this.#text);
    }
    if (tail.exception !== undefined) throw toBrokenResult(String(tail.exception));
    if (Number(tail.rows) !== this.#count) throw toBrokenResult(this.#text);
  }
}

/** All rows of an internal statement, as text. */
export async function readRows(stream: Readable): Promise<readonly (readonly string[])[]> {
  const reader = new ResultReader(stream);
  await reader.start();
  const rows: string[][] = [];
  for (let next = await reader.next(); next !== undefined; next = await reader.next()) {
    for (const row of next) rows.push(row.map((raw) => (raw === null ? '' : String(JSON.parse(raw)))));
  }
  return rows;
}

const quote = 34;
const backslash = 92;
const comma = 44;
const opening = 91;
const closing = 93;
const openingBrace = 123;
const closingBrace = 125;

const isGap = (code: number): boolean => code === 32 || code === 10 || code === 9 || code === 13 || code === comma;

/** The end of the string that begins at `at`; -1 if it is incomplete. */
function stringEnd(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return -1;
}

function cellAt(text: string, start: number, end: number): string | null {
  let first = start;
  let last = end;
  while (isGap(text.charCodeAt(first))) first++;
  while (isGap(text.charCodeAt(last - 1))) last--;
  const cell = text.slice(first, last);
  return cell === 'null' ? null : cell;
}

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
