import { observedStream } from '../results/observed-stream.ts';
import type { RowStream } from '../results/row-stream.ts';
import type { Connector } from './connector.ts';

/** A connector that counts its active runs. */
export interface TrackedConnector extends Connector {
  /** Closes the connector when its runs have ended, at the latest after the grace. */
  closeWithin(graceMs: number): Promise<void>;
}

export function tracked(connector: Connector): TrackedConnector {
  let running = 0;
  let whenIdle: (() => void) | undefined;

  const ended = (): void => {
    running--;
    if (running === 0) whenIdle?.();
  };
  async function during<T>(work: Promise<T>): Promise<T> {
    running++;
    try {
      return await work;
    } finally {
      ended();
    }
  }

  return {
    ...connector,
    describe: (sql, parameters, signal) => during(connector.describe(sql, parameters, signal)),
    checkEpilogue: (sql, parameters, signal) => during(connector.checkEpilogue(sql, parameters, signal)),
    schema: (signal) => during(connector.schema(signal)),
    ping: (signal) => during(connector.ping(signal)),
    async run(statement, options, signal) {
      running++;
      try {
        const rows = await connector.run(statement, options, signal);
        if (rows.whole === undefined) return trackedStream(rows, ended);
        ended();
        return rows;
      } catch (error) {
        ended();
        throw error;
      }
    },
    async closeWithin(graceMs) {
      if (running > 0 && graceMs > 0) {
        const { promise, resolve } = Promise.withResolvers<void>();
        whenIdle = resolve;
        const timer = setTimeout(resolve, graceMs);
        await promise;
        clearTimeout(timer);
      }
      await connector.close();
    },
  };
}

/** A stream is active until it is read to its end, fails, or is closed. */
function trackedStream(rows: RowStream, ended: () => void): RowStream {
  let over = false;
  const end = (): void => {
    if (over) return;
    over = true;
    ended();
  };
  return observedStream(rows, { onEnd: end, onClosed: end });
}
