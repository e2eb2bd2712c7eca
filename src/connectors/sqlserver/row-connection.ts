import { Connection } from 'tedious';
import { Parser as TokenStreamParser } from 'tedious/lib/token/token-stream-parser.js';
import { RowParser, type RowSink } from './row-parser.ts';

/** A connection whose rows go to a sink, if there is one, instead of through the driver's value parser. */
export class RowConnection extends Connection {
  sink: RowSink | undefined;

  override createTokenStreamParser(...[message, handler]: ParserArguments): TokenStreamParser {
    if (this.sink === undefined) return super.createTokenStreamParser(message, handler);
    return new RowTokenStream(this.sink, message, this.debug, handler, this.config.options);
  }
}

type ParserArguments = Parameters<Connection['createTokenStreamParser']>;
type Handler = ParserArguments[1];

class RowTokenStream extends TokenStreamParser {
  readonly #sink: RowSink;

  constructor(sink: RowSink, ...rest: ConstructorParameters<typeof TokenStreamParser>) {
    super(...rest);
    this.#sink = sink;
  }

  /** As the driver's method, with our parser. */
  override async run(message: AsyncIterable<Buffer> | Iterable<Buffer>, handler: Handler): Promise<void> {
    await undefined; // the base class calls this before the sink is set
    const parser = new RowParser(this.options, this.#sink);
    const chunks = Symbol.asyncIterator in message ? message[Symbol.asyncIterator]() : message[Symbol.iterator]();
    for (let chunk = await chunks.next(); chunk.done !== true; chunk = await chunks.next()) {
      parser.write(chunk.value);
      for (;;) {
        while (this.paused) await this.#resumed();
        const token = parser.read();
        if (token === undefined) break;
        const handle: (token: never) => void = handler[token.handlerName];
        handle.call(handler, token as never);
      }
    }
    parser.end();
  }

  #resumed(): Promise<void> {
    return new Promise((resolve) => {
      this.onResume = resolve;
    });
  }
}
