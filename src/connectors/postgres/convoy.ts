import type { RowStream } from '../../results/row-stream.ts';
import { wholeRows } from '../../results/whole-rows.ts';
import { clean } from './cleaner.ts';
import { Messages } from './messages.ts';
import type { RenderedSql } from './parameters.ts';
import type { Prepared } from './prepared.ts';
import { own } from './session.ts';
import { WireBatch } from './wire-batch.ts';
import type { RowListener } from './wire.ts';

const mostRiders = 16;
const mostBytes = 1 << 20;

/** The rows; undefined: the run has to go alone. */
export type Ride = RowStream | undefined;

interface Rider {
  readonly main: RenderedSql;
  readonly arrive: (ride: Ride) => void; // only the first time counts
}

interface Seat {
  readonly rider: Rider;
  readonly prepared: Prepared;
  readonly batches: WireBatch[];
}

/** Runs that share one exchange, each in a transaction of its own. Either all arrive, or each goes alone and learns there what is wrong. */
export class Convoy implements RowListener {
  readonly timeoutMs: number;
  /** How often the patrol has met it. */
  met = 0;
  readonly #riders: Rider[] = [];
  readonly #seats: Seat[] = []; // in the order of their commands
  readonly #over = Promise.withResolvers<void>();
  readonly #answered = Promise.withResolvers<void>();
  isDispersed = false;
  isAnswered = false;
  hasOtherRows = false;
  #lastBytes: Buffer | undefined;
  #bytes = 0;

  constructor(timeoutMs: number) {
    this.timeoutMs = timeoutMs;
  }

  get isFull(): boolean {
    return this.#riders.length >= mostRiders;
  }

  get statements(): readonly RenderedSql[] {
    return this.#riders.map(({ main }) => main);
  }

  /** Resolves when all have arrived, or go alone. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** Resolves when the database is done with it. */
  get answered(): Promise<void> {
    return this.#answered.promise;
  }

  join(main: RenderedSql, signal: AbortSignal): Promise<Ride> {
    return new Promise((resolve) => {
      const leave = (): void => arrive(undefined); // who goes alone with such a signal does not go far
      const arrive = (ride: Ride): void => {
        signal.removeEventListener('abort', leave);
        resolve(ride);
      };
      signal.addEventListener('abort', leave);
      this.#riders.push({ main, arrive });
    });
  }

  /** The messages of all whose statement is prepared; the others go alone. */
  depart(preparedOf: (main: RenderedSql) => Prepared | undefined): Buffer | undefined {
    const messages = new Messages();
    for (const rider of this.#riders) {
      const prepared = preparedOf(rider.main);
      if (prepared === undefined) {
        rider.arrive(undefined);
        continue;
      }
      if (this.#seats.length === 0) messages.bytes(begin);
      else clean(messages.bytes(beginNext));
      messages.bind(prepared.name, rider.main.values).execute();
      this.#seats.push({ rider, prepared, batches: [] });
    }
    return this.#seats.length === 0 ? undefined : clean(messages.bytes(end)).take();
  }

  take(bytes: Buffer, starts: readonly number[], command: number): boolean {
    const seat = this.#seats[(command - 1) / commandsEach];
    if (seat === undefined) this.#reportOtherRows();
    if (seat === undefined || this.#bytes > mostBytes) return true;
    seat.batches.push(new WireBatch(bytes, starts, seat.prepared.cells));
    if (bytes !== this.#lastBytes) this.#bytes += bytes.length;
    this.#lastBytes = bytes;
    if (this.#bytes > mostBytes) this.disperse();
    return true;
  }

  end(): void {
    this.#answer();
    if (this.isDispersed) return;
    for (const { rider, prepared, batches } of this.#seats) rider.arrive(wholeRows(prepared.columns, batches));
    this.#over.resolve();
    // what an old convoy held would stay with it until the old generation is collected
    this.#seats.length = 0;
    this.#riders.length = 0;
    this.#lastBytes = undefined;
  }

  fail(): void {
    this.#answer();
    this.disperse();
  }

  disperse(): void {
    this.isDispersed = true;
    for (const { arrive } of this.#riders) arrive(undefined);
    this.#over.resolve();
  }

  /** What the cleaner reports, which means that what came behind may not be what it seems. */
  #reportOtherRows(): void {
    this.hasOtherRows = true;
    this.disperse();
  }

  #answer(): void {
    this.isAnswered = true;
    this.#answered.resolve();
  }
}

const commandsEach = 3; // its statement, how the next transaction begins, and the cleaner
const begin = new Messages().bind(own.beginReadOnly).execute().view();
const beginNext = new Messages().bind(own.rollbackAndBegin).execute().view();
const end = new Messages().bind(own.rollback).execute().view();
