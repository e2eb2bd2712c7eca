import { STATUS_CODES } from 'node:http';
import type { DoorReply } from './door-request.ts';
import { ownHeaders } from './server.ts';

/** Takes an answer to its caller: the lines of the head as far as the reply knows them, and the body with its length in bytes. */
export type Deliver = (head: string, body: string | Buffer, length: number, status: number) => void;

export class ExpressReply implements DoorReply {
  readonly left: AbortSignal;
  readonly onEnd: (work: () => void) => void;
  readonly #deliver: Deliver;
  readonly #headers: Record<string, string>;
  #status = 200;

  constructor(requestId: string, { left, onEnd }: Required<Pick<DoorReply, 'left' | 'onEnd'>>, deliver: Deliver) {
    this.left = left;
    this.onEnd = onEnd;
    this.#deliver = deliver;
    this.#headers = { 'x-request-id': requestId };
  }

  code(status: number): this {
    this.#status = status;
    return this;
  }

  header(name: string, value: string): this {
    if (BREAKS_OUT.test(value)) throw new TypeError(`The value of ${name} cannot stand in a head.`);
    this.#headers[name.toLowerCase()] = value;
    return this;
  }

  type(contentType: string): this {
    return this.header('content-type', contentType);
  }

  send(body: string | Buffer = ''): this {
    const length = Buffer.byteLength(body);
    let head = `HTTP/1.1 ${this.#status} ${STATUS_CODES[this.#status]}\r\n${OWN_LINES}content-length: ${length}\r\n`;
    for (const name in this.#headers) head += `${name}: ${this.#headers[name]}\r\n`;
    this.#deliver(head, body, length, this.#status);
    return this;
  }
}

const OWN_LINES = Object.entries(ownHeaders)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');
const BREAKS_OUT = /[^\t\x20-\x7e]/;
