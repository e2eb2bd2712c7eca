import type { Column } from '../../../core/column.ts';
import { ConnectorError } from '../../connector.ts';
import { batchesAhead, byteLength, creditFor, frameTypes, type Signal } from '../../embedded/frames.ts';
import type { Request } from '../protocol.ts';
import type { Link } from './link.ts';
import type { OpenDatabase } from './open.ts';
import type { ResultReceiver } from './run.ts';

/** An active request, its signals, and its response. */
export class ActiveRequest implements ResultReceiver {
  readonly #channel: number;
  readonly #link: Link;
  readonly #abort = new AbortController();
  #credit = batchesAhead;
  #isToCommit = false;
  #wake: () => void = () => {};

  constructor(channel: number, link: Link) {
    this.#channel = channel;
    this.#link = link;
  }

  receive(signal: Signal): void {
    if (signal.type === 'more') this.#credit += signal.credit;
    else if (signal.type === 'commit') this.#isToCommit = true;
    else this.#abort.abort();
    this.#wake();
  }

  async run(database: OpenDatabase, request: Exclude<Request, { type: 'open' }>): Promise<void> {
    if (request.type !== 'run') {
      this.#sendJson(frameTypes.reply, await database.reply(request, this.#abort.signal));
      return;
    }
    await database.run(request.statement, this, this.#abort.signal);
    this.#sendJson(frameTypes.end, null);
  }

  columns(columns: readonly Column[]): void {
    this.#sendJson(frameTypes.columns, columns);
  }

  async batch(parts: readonly Uint8Array[]): Promise<void> {
    const cost = creditFor(byteLength(parts));
    await this.#waitUntil(() => this.#credit >= cost);
    this.#credit -= cost;
    this.#link.send(this.#channel, frameTypes.batch, parts);
  }

  rowsRead(): Promise<void> {
    return this.#waitUntil(() => this.#credit === batchesAhead);
  }

  mayCommit(): Promise<void> {
    this.#sendJson(frameTypes.epilogueRan, null);
    return this.#waitUntil(() => this.#isToCommit);
  }

  #sendJson(type: number, content: unknown): void {
    this.#link.sendJson(this.#channel, type, content);
  }

  /** Waits for the service; throws when it stops the request. */
  async #waitUntil(condition: () => boolean): Promise<void> {
    for (;;) {
      if (this.#abort.signal.aborted) throw new ConnectorError('cancelled', 'The query was cancelled.');
      if (condition()) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }
}
