import { ConnectorError, type Statement } from '../../connector.ts';
import { batchesAhead, byteLength, creditFor, frameTypes, type Signal } from '../../embedded/frames.ts';
import type { Request } from '../protocol.ts';
import { BatchEncoder } from './batch-encoder.ts';
import type { Link } from './link.ts';
import type { OpenDatabase } from './open.ts';

/** An active request and its signals. */
export class ActiveRequest {
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
    const { signal } = this.#abort;
    switch (request.type) {
      case 'run':
        return this.#sendRows(database, request.statement);
      case 'describe':
        return this.#reply(await database.describe(request.sql, request.parameters, signal));
      case 'checkEpilogue':
        return this.#reply(await database.checkEpilogue(request.sql, request.parameters, signal));
      case 'schema':
        return this.#reply(await database.schema(signal));
      case 'ping':
        return this.#reply(await database.ping(signal));
    }
  }

  #reply(content: unknown): void {
    this.#link.sendJson(this.#channel, frameTypes.reply, content ?? null);
  }

  async #sendRows(database: OpenDatabase, statement: Statement): Promise<void> {
    const channel = this.#channel;
    const link = this.#link;
    const epilogueSteps = {
      rowsRead: () => this.#until(() => this.#credit === batchesAhead),
      mayCommit: () => {
        link.sendJson(channel, frameTypes.epilogueRan, null);
        return this.#until(() => this.#isToCommit);
      },
    };
    const rows = await database.run(statement, epilogueSteps, this.#abort.signal);
    link.sendJson(channel, frameTypes.columns, rows.columns);
    const encoder = new BatchEncoder(rows.columns);
    for await (const batch of rows.batches()) {
      for (const parts of encoder.encode(batch)) {
        const cost = creditFor(byteLength(parts));
        if (this.#credit < cost) await this.#until(() => this.#credit >= cost);
        this.#credit -= cost;
        link.send(channel, frameTypes.batch, parts);
      }
    }
    link.sendJson(channel, frameTypes.end, null);
  }

  /** Waits for the service; throws when it stops the request. */
  async #until(condition: () => boolean): Promise<void> {
    for (;;) {
      if (this.#abort.signal.aborted) throw new ConnectorError('cancelled', 'The query was cancelled.');
      if (condition()) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }
}
