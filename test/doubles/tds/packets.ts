import type { Socket } from 'node:net';

/** [MS-TDS] 2.2.3: a message is a sequence of packets, each with a header of eight bytes. */
export interface Message {
  readonly type: number;
  readonly ignored: boolean; // the sender discards the message
  readonly reset: boolean; // the session is reset first
  readonly payload: Buffer;
}

export const packetType = { batch: 1, rpc: 3, response: 4, attention: 6, login: 16, prelogin: 18 } as const;

const headerLength = 8;
const endOfMessage = 1;
const ignoreMessage = 2;
const resetConnection = 8;

/** Assembles messages from received bytes. */
export class MessageReader {
  #rest: Buffer = Buffer.alloc(0);
  #parts: Buffer[] = [];
  #reset = false;

  read(bytes: Buffer): Message[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const messages: Message[] = [];
    while (this.#rest.length >= headerLength) {
      const length = this.#rest.readUInt16BE(2);
      if (length < headerLength) throw new RangeError('A packet is shorter than its header.');
      if (this.#rest.length < length) break;
      const [type = 0, status = 0] = this.#rest;
      this.#parts.push(this.#rest.subarray(headerLength, length));
      this.#rest = this.#rest.subarray(length);
      this.#reset ||= (status & resetConnection) !== 0;
      if ((status & endOfMessage) === 0) continue;
      const payload = Buffer.concat(this.#parts);
      messages.push({ type, ignored: (status & ignoreMessage) !== 0, reset: this.#reset, payload });
      this.#parts = [];
      this.#reset = false;
    }
    return messages;
  }
}

/** Sends one message in packets of at most `packetSize`, with backpressure. */
export class MessageWriter {
  readonly #socket: Socket;
  readonly #packetSize: number;
  readonly #type: number;
  #rest: Buffer = Buffer.alloc(0);
  #packets = 0;

  constructor(socket: Socket, packetSize: number, type: number = packetType.response) {
    this.#socket = socket;
    this.#packetSize = packetSize - headerLength;
    this.#type = type;
  }

  async write(bytes: Buffer): Promise<void> {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (this.#rest.length > this.#packetSize) {
      this.#send(this.#rest.subarray(0, this.#packetSize), 0);
      this.#rest = this.#rest.subarray(this.#packetSize);
    }
    if (this.#socket.writableNeedDrain) await waitForDrain(this.#socket);
  }

  async end(bytes: Buffer): Promise<void> {
    await this.write(bytes);
    this.#send(this.#rest, endOfMessage);
  }

  #send(payload: Buffer, status: number): void {
    const header = Buffer.alloc(headerLength);
    header[0] = this.#type;
    header[1] = status;
    header.writeUInt16BE(headerLength + payload.length, 2);
    header.writeUInt16BE(51, 4); // the process
    header[6] = ++this.#packets & 0xff;
    this.#socket.write(Buffer.concat([header, payload]));
  }
}

function waitForDrain(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
  });
}
