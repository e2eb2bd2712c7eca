import type { QueryPage, TrinoRow } from './query-page.ts';
import type { Coordinator, SegmentClient } from './segment-client.ts';
import { DamagedResultError, decodeSegment, type Segment, SegmentRows, segmentsOf } from './segments.ts';

/** Limits of the segments of one result that are loaded ahead of the reader. */
const mostLoads = 4;
const mostLoadedBytes = 32 * 1024 * 1024;
/** The segments of which only the address is known. */
const mostKnown = 16;

interface ResultSource {
  /** The next page; undefined at the end. */
  next(): Promise<QueryPage | undefined>;
  readonly segments: SegmentClient;
  readonly coordinator: Coordinator;
  readonly signal: AbortSignal;
}

/** Rows in a page itself, or a segment, which may be loading. */
type Part = { readonly rows: readonly TrinoRow[] } | { readonly segment: Segment; loading?: Promise<Buffer> };

/** The rows of a query: in its pages, or in segments that are loaded in parallel and read in order. */
export class ResultRows {
  readonly #source: ResultSource;
  readonly #columns: number;
  readonly #abort = new AbortController();
  readonly #signal: AbortSignal;
  readonly #parts: Part[] = [];
  #loads = 0;
  #loadedBytes = 0; // also of segments that are still loading
  #paging: Promise<void> | undefined;
  #areAllKnown = false;
  #isSpooled = false;
  #current: SegmentRows | undefined;
  #count = 0;

  constructor(source: ResultSource, first: QueryPage, columns: number) {
    this.#source = source;
    this.#columns = columns;
    this.#signal = AbortSignal.any([source.signal, this.#abort.signal]);
    this.#add(first);
  }

  /** How many rows were returned. */
  get count(): number {
    return this.#count;
  }

  /** The next rows; undefined at the end of the result. */
  async next(): Promise<readonly TrinoRow[] | undefined> {
    for (;;) {
      const rows = this.#current?.next();
      if (rows !== undefined) {
        this.#count += rows.length;
        return rows;
      }
      this.#current = undefined;
      this.#readAhead();
      const part = this.#parts.shift();
      if (part === undefined) {
        if (this.#areAllKnown) return undefined;
        await (this.#paging ??= this.#readPage());
      } else if ('rows' in part) {
        this.#count += part.rows.length;
        return part.rows;
      } else this.#current = await this.#open(part.segment, part.loading);
    }
  }

  /** Stops loading. Resolves when no request for a page is under way. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#paging?.catch(() => {});
  }

  #add({ data }: QueryPage): void {
    if (data === undefined || data === null) return;
    if (Array.isArray(data)) {
      if (data.length > 0) this.#parts.push({ rows: data });
      return;
    }
    this.#isSpooled = true;
    for (const segment of segmentsOf(data)) this.#parts.push({ segment });
  }

  /** Starts what the limits allow, in the order of the rows. Pages with rows in them are requested one by one. */
  #readAhead(): void {
    if (!this.#isSpooled || this.#signal.aborted) return;
    for (const part of this.#parts) {
      if ('rows' in part || part.loading !== undefined || part.segment.type === 'inline') continue;
      const size = part.segment.segmentSize;
      if (this.#loads >= mostLoads || (this.#loadedBytes > 0 && this.#loadedBytes + size > mostLoadedBytes)) return;
      part.loading = this.#load(part.segment);
    }
    if (this.#areAllKnown || this.#paging !== undefined || this.#parts.length >= mostKnown) return;
    this.#paging = this.#readPage();
    this.#paging.then(() => this.#readAhead()).catch(() => {}); // the reader gets the error after the rows before it
  }

  async #readPage(): Promise<void> {
    const page = await this.#source.next();
    if (page === undefined) this.#areAllKnown = true;
    else this.#add(page);
    this.#paging = undefined;
  }

  #load(segment: Segment & { readonly type: 'spooled' }): Promise<Buffer> {
    this.#loads++;
    this.#loadedBytes += segment.segmentSize;
    const { segments, coordinator } = this.#source;
    const loading = segments.load(segment, coordinator, this.#signal).finally(() => {
      this.#loads--;
      this.#readAhead();
    });
    loading.catch(() => {}); // the reader gets the error
    return loading;
  }

  async #open(segment: Segment, loading: Promise<Buffer> | undefined): Promise<SegmentRows> {
    if (segment.rowOffset !== this.#count)
      throw new DamagedResultError(`A segment begins at row ${segment.rowOffset} instead of ${this.#count}.`);
    if (segment.type === 'inline') {
      return new SegmentRows(await decodeSegment(Buffer.from(segment.data, 'base64'), segment), segment, this.#columns);
    }
    const { segments, coordinator } = this.#source;
    const bytes = await (loading ?? this.#load(segment));
    this.#loadedBytes -= segment.segmentSize;
    this.#readAhead();
    const json = await decodeSegment(bytes, segment);
    segments.acknowledge(segment, coordinator);
    return new SegmentRows(json, segment, this.#columns);
  }
}
