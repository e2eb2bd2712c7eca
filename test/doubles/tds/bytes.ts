/** A growing little-endian buffer. */
export class Bytes {
  #buffer = Buffer.alloc(1 << 12);
  length = 0;

  u8(value: number): this {
    this.#room(1);
    this.#buffer[this.length++] = value;
    return this;
  }

  u16(value: number): this {
    this.#room(2);
    this.length = this.#buffer.writeUInt16LE(value, this.length);
    return this;
  }

  u32(value: number): this {
    this.#room(4);
    this.length = this.#buffer.writeUInt32LE(value >>> 0, this.length);
    return this;
  }

  i64(value: bigint): this {
    this.#room(8);
    this.length = this.#buffer.writeBigInt64LE(value, this.length);
    return this;
  }

  /** An integer of `size` bytes in two's complement. */
  whole(value: bigint, bytes: number): this {
    for (let i = 0; i < bytes; i++) this.u8(Number((value >> BigInt(8 * i)) & 0xffn));
    return this;
  }

  f32(value: number): this {
    this.#room(4);
    this.length = this.#buffer.writeFloatLE(value, this.length);
    return this;
  }

  f64(value: number): this {
    this.#room(8);
    this.length = this.#buffer.writeDoubleLE(value, this.length);
    return this;
  }

  raw(bytes: Uint8Array): this {
    this.#room(bytes.length);
    this.#buffer.set(bytes, this.length);
    this.length += bytes.length;
    return this;
  }

  utf16(text: string): this {
    this.#room(text.length * 2);
    this.length += this.#buffer.write(text, this.length, 'utf16le');
    return this;
  }

  /** Text with a one-byte length prefix in characters. */
  shortText(text: string): this {
    return this.u8(text.length).utf16(text);
  }

  /** Text with a two-byte length prefix in characters. */
  longText(text: string): this {
    return this.u16(text.length).utf16(text);
  }

  take(): Buffer {
    const taken = Buffer.from(this.#buffer.subarray(0, this.length));
    this.length = 0;
    return taken;
  }

  #room(count: number): void {
    if (this.length + count <= this.#buffer.length) return;
    const larger = Buffer.alloc(Math.max(this.#buffer.length * 2, this.length + count));
    this.#buffer.copy(larger, 0, 0, this.length);
    this.#buffer = larger;
  }
}

/** Reads what `Bytes` writes. */
export class Cursor {
  readonly bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  get atEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  u8(): number {
    return this.bytes.readUInt8(this.at++);
  }

  u16(): number {
    this.at += 2;
    return this.bytes.readUInt16LE(this.at - 2);
  }

  u32(): number {
    this.at += 4;
    return this.bytes.readUInt32LE(this.at - 4);
  }

  u64(): bigint {
    this.at += 8;
    return this.bytes.readBigUInt64LE(this.at - 8);
  }

  raw(length: number): Buffer {
    this.at += length;
    if (this.at > this.bytes.length) throw new RangeError('The message is too short.');
    return this.bytes.subarray(this.at - length, this.at);
  }

  utf16(letters: number): string {
    return this.raw(letters * 2).toString('utf16le');
  }
}
