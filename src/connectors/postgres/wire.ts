import type { Duplex } from 'node:stream';
import { freeBytes } from '../../results/byte-writer.ts';

export interface Field {
  readonly name: string;
  readonly type: number; // oid
  readonly modifier: number;
}

/** The response up to ReadyForQuery. */
export interface Reply {
  readonly fields: readonly Field[] | undefined; // undefined: the described statement returns no rows
  readonly parameters: readonly number[]; // types of the described statement
  readonly rows: readonly (readonly (string | null)[])[]; // unless there is a sink
  readonly tags: readonly string[]; // of the completed commands
}

/** Receives the rows of an exchange. */
export interface RowSink {
  /** `starts`: where each row begins in `bytes`, after its header; `command`: counted from 0. Returns whether there is room for more. */
  take(bytes: Buffer, starts: readonly number[], command: number): boolean;
}

/** Also called at the end of the exchange, without a promise in between. */
export interface RowListener extends RowSink {
  end(): void;
  fail(error: Error): void;
}

interface Exchange {
  readonly sink: RowSink | undefined;
  readonly reply: Written | undefined; // undefined: only the rows are needed
  readonly end: () => void;
  readonly fail: (error: Error) => void;
  commands: number; // completed so far
  error: ServerError | undefined;
}

type Written = { -readonly [K in keyof Reply]: Reply[K] extends readonly (infer Item)[] ? Item[] : Reply[K] };

const header = 5;
const longest = 0x40000000; // PostgreSQL sends no message beyond 1 GB

/** The protocol on a socket after the log-in: exchanges in order, rows as bytes. */
export class Wire {
  /** `I` idle, `T` in a transaction, `E` in one that failed. */
  status = 'I';
  onLost: () => void = () => {};

  readonly #stream: Duplex;
  readonly #exchanges: Exchange[] = [];
  #chunks: Buffer[] = []; // the start of an incomplete message
  #buffered = 0;
  #needed = header;
  #lost: LostConnectionError | undefined;

  constructor(stream: Duplex) {
    this.#stream = stream;
    stream.removeAllListeners('data'); // the driver only logs in
    stream.on('data', (chunk: Buffer) => {
      try {
        this.#receive(chunk);
      } catch (error) {
        this.#lose(error instanceof Error ? error : undefined); // it does not follow the protocol
      }
    });
    stream.on('error', (error) => this.#lose(error));
    stream.on('close', () => this.#lose());
    if (stream.destroyed) this.#lose();
  }

  get lost(): boolean {
    return this.#lost !== undefined;
  }

  /** Rejects with the server's error when the server is ready again, or when the connection is lost. */
  exchange(messages: Buffer, sink?: RowSink): Promise<Reply> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    return new Promise((resolve, reject) => {
      const reply: Written = { fields: undefined, parameters: [], rows: [], tags: [] };
      this.#exchanges.push({ sink, reply, end: () => resolve(reply), fail: reject, commands: 0, error: undefined });
      this.#stream.write(messages);
    });
  }

  /** The same for a listener, without a promise. */
  stream(messages: Buffer, rows: RowListener): void {
    if (this.#lost !== undefined) {
      rows.fail(this.#lost);
      return;
    }
    const end = (): void => rows.end();
    const fail = (error: Error): void => rows.fail(error);
    this.#exchanges.push({ sink: rows, reply: undefined, end, fail, commands: 0, error: undefined });
    this.#stream.write(messages);
  }

  /** Whether the server sends rows that are not read because the sink is full. */
  get isPaused(): boolean {
    return this.#stream.isPaused();
  }

  /** Called when a full sink has room again. */
  resume(): void {
    this.#stream.resume();
  }

  destroy(): void {
    this.#stream.destroy();
    this.#lose();
  }

  /** Sends Terminate on an idle connection. */
  end(): void {
    this.#stream.end(Buffer.from([0x58, 0, 0, 0, 4]));
    setTimeout(() => this.#stream.destroy(), 1000).unref();
  }

  #receive(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    if (this.#buffered < this.#needed) return; // the chunks of a long message are joined once
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    if (bytes !== chunk) for (const joined of this.#chunks) freeBytes(joined);
    const rest = bytes.subarray(this.#read(bytes));
    this.#chunks = rest.length === 0 ? [] : [Buffer.from(rest)]; // a copy: the receiver of the rows frees their bytes
    this.#buffered = rest.length;
  }

  /** Handles the complete messages; returns the start of the first incomplete one. */
  #read(bytes: Buffer): number {
    let starts: number[] = [];
    const passRows = (): void => {
      if (starts.length === 0) return;
      this.#rows(bytes, starts);
      starts = [];
    };
    let at = 0;
    this.#needed = header;
    while (at + header <= bytes.length) {
      const length = bytes.readInt32BE(at + 1);
      if (length < 4 || length > longest) {
        this.destroy();
        return bytes.length;
      }
      const end = at + 1 + length;
      if (end > bytes.length) {
        this.#needed = end - at;
        break;
      }
      if (bytes[at] === dataRow) {
        starts.push(at + header);
      } else if (bytes[at] !== bindComplete) {
        passRows();
        this.#handle(bytes[at] ?? 0, bytes, at + header, end);
      }
      at = end;
    }
    passRows();
    return at;
  }

  #rows(bytes: Buffer, starts: number[]): void {
    const exchange = this.#exchanges[0];
    if (exchange === undefined) return;
    const { sink, reply, commands } = exchange;
    if (sink === undefined) reply?.rows.push(...starts.map((start) => readRow(bytes, start)));
    else if (!sink.take(bytes, starts, commands)) this.#stream.pause();
  }

  #handle(type: number, bytes: Buffer, start: number, end: number): void {
    const exchange = this.#exchanges[0];
    switch (type) {
      case commandComplete:
        if (exchange === undefined) break;
        exchange.commands++;
        exchange.reply?.tags.push(bytes.toString('latin1', start, end - 1));
        break;
      case readyForQuery:
        this.#onReady(String.fromCharCode(bytes[start] ?? 0));
        break;
      case errorResponse:
        this.#onError(readServerError(bytes.subarray(start, end)));
        break;
      case emptyQuery:
        if (exchange === undefined) break;
        exchange.commands++;
        exchange.reply?.tags.push('');
        break;
      case rowDescription:
        if (exchange?.reply !== undefined) exchange.reply.fields = readFields(bytes.subarray(start, end));
        break;
      case parameterDescription:
        for (let at = start + 2; at < end; at += 4) exchange?.reply?.parameters.push(bytes.readUInt32BE(at));
        break;
    }
  }

  #onError(error: ServerError): void {
    const [exchange] = this.#exchanges;
    if (exchange !== undefined) exchange.error ??= error;
    if (error.isFatal) this.#lose(error);
  }

  #onReady(status: string): void {
    this.status = status;
    const exchange = this.#exchanges.shift();
    if (exchange === undefined) return;
    if (exchange.error === undefined) exchange.end();
    else exchange.fail(exchange.error);
  }

  #lose(cause?: Error): void {
    if (this.#lost !== undefined) return;
    this.#lost = new LostConnectionError(cause);
    this.#stream.destroy();
    for (const { fail } of this.#exchanges.splice(0)) fail(this.#lost);
    this.onLost();
  }
}

const bindComplete = 0x32; // carries no information
const [dataRow, errorResponse, commandComplete, emptyQuery, rowDescription, parameterDescription, readyForQuery] = [
  ...Buffer.from('DECITtZ'),
] as [number, number, number, number, number, number, number];

function readRow(bytes: Buffer, start: number): (string | null)[] {
  const row: (string | null)[] = [];
  let at = start + 2;
  for (let left = bytes.readUInt16BE(start); left > 0; left--) {
    const length = bytes.readInt32BE(at);
    at += 4;
    row.push(length < 0 ? null : bytes.toString('utf8', at, at + length));
    if (length > 0) at += length;
  }
  return row;
}

function readFields(body: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 2;
  while (at < body.length) {
    const end = body.indexOf(0, at);
    if (end < 0) throw new Error('The server sent a broken message.');
    const name = body.toString('utf8', at, end);
    at = end + 1; // then: table, column number, type, its size, its modifier, format
    fields.push({ name, type: body.readUInt32BE(at + 6), modifier: body.readInt32BE(at + 12) });
    at += 18;
  }
  return fields;
}

/** The server's error for a statement. */
export class ServerError extends Error {
  readonly code: string; // SQLSTATE
  readonly hint: string | undefined;
  readonly position: number | undefined; // of a character, from 1
  readonly isFatal: boolean; // the server closes the connection

  constructor(fields: ReadonlyMap<string, string>) {
    super(fields.get('M') ?? 'The database gave no reason.');
    this.name = 'ServerError';
    this.code = fields.get('C') ?? '';
    this.hint = fields.get('H');
    const position = Number(fields.get('P'));
    this.position = position > 0 ? position : undefined;
    this.isFatal = ['FATAL', 'PANIC'].includes(fields.get('V') ?? fields.get('S') ?? '');
  }
}

export class LostConnectionError extends Error {
  constructor(cause: Error | undefined) {
    super(cause?.message ?? 'The connection to the database was lost.', { cause });
    this.name = 'LostConnectionError';
  }
}

function readServerError(body: Buffer): ServerError {
  const fields = new Map<string, string>();
  let at = 0;
  while (at < body.length && body[at] !== 0) {
    const end = body.indexOf(0, at + 1);
    if (end < 0) break;
    fields.set(String.fromCharCode(body[at] ?? 0), body.toString('utf8', at + 1, end));
    at = end + 1;
  }
  return new ServerError(fields);
}
