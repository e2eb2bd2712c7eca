import { ByteWriter } from '../../results/byte-writer.ts';

/** Messages of the extended protocol, collected for one write. */
export class Messages {
  readonly #out = new ByteWriter(512);

  parse(statement: string, sql: string, types: readonly number[] = []): this {
    return this.#message('P', () => {
      this.#text(statement);
      this.#text(sql);
      this.#int16(types.length);
      for (const type of types) this.#int32(type);
    });
  }

  /** Binds text values to the unnamed portal; rows are returned as text. */
  bind(statement: string, values: readonly (string | null)[] = []): this {
    return this.#message('B', () => {
      this.#text('');
      this.#text(statement);
      this.#int16(0);
      this.#int16(values.length);
      for (const value of values) this.#value(value);
      this.#int16(0);
    });
  }

  /** Runs the unnamed portal to its end: a limit would rule out parallel plans. */
  execute(): this {
    return this.#message('E', () => {
      this.#text('');
      this.#int32(0);
    });
  }

  describe(statement: string): this {
    return this.#message('D', () => {
      this.#out.ascii('S');
      this.#text(statement);
    });
  }

  close(statement: string): this {
    return this.#message('C', () => {
      this.#out.ascii('S');
      this.#text(statement);
    });
  }

  /** A statement that needs no name and no values. */
  statement(sql: string): this {
    return this.parse('', sql).bind('').execute();
  }

  /** Appends encoded messages. */
  bytes(written: Uint8Array): this {
    this.#out.copy(written);
    return this;
  }

  /** The messages so far. */
  view(): Buffer {
    return this.#out.view();
  }

  /** The messages, with the Sync that ends their exchange. */
  take(): Buffer {
    this.#message('S', () => {});
    return this.#out.view();
  }

  #message(type: string, write: () => void): this {
    const out = this.#out;
    out.ascii(type);
    const start = out.length;
    this.#int32(0);
    write();
    out.bytes.writeInt32BE(out.length - start, start);
    return this;
  }

  #text(text: string): void {
    if (text.includes('\0')) throw new Error('A text of the protocol ends at its first zero byte.');
    this.#out.utf8(text);
    this.#out.reserve(1);
    this.#out.byte(0);
  }

  #value(value: string | null): void {
    const out = this.#out;
    const start = out.length;
    this.#int32(-1);
    if (value === null) return;
    out.utf8(value);
    out.bytes.writeInt32BE(out.length - start - 4, start);
  }

  #int16(value: number): void {
    this.#out.reserve(2);
    this.#out.length = this.#out.bytes.writeUInt16BE(value, this.#out.length);
  }

  #int32(value: number): void {
    this.#out.reserve(4);
    this.#out.length = this.#out.bytes.writeInt32BE(value | 0, this.#out.length);
  }
}
