import { observeStream, type RowStream } from '../../results/row-stream.ts';
import type { Connector } from '../connector.ts';

/** A connector that counts its active runs. */
export interface TrackedConnector extends Connector {
  /** Closes the connector when its runs have ended, at the latest after the grace. */
  closeWithin(graceMs: number): Promise<void>;
}

export function trackConnector(connector: Connector): TrackedConnector {
  let running = 0;
  let whenIdle: (() => void) | undefined;

  const onEnded = (): void => {
    running--;
    if (running === 0) whenIdle?.();
  };
  async function countDuring<T>(work: Promise<T>): Promise<T> {
    running++;
    try {
      return await work;
    } finally {
      onEnded();
    }
  }

  return {
    ...connector,
    describe: (sql, parameters, signal) => countDuring(connector.describe(sql, parameters, signal)),
    checkEpilogue: (sql, parameters, signal) => countDuring(connector.checkEpilogue(sql, parameters, signal)),
    schema: (signal) => countDuring(connector.schema(signal)),
    ping: (signal) => countDuring(connector.ping(signal)),
    async run(statement, options, signal) {
      running++;
      try {
        const rows = await connector.run(statement, options, signal);
        if (rows.whole === undefined) return trackStream(rows, onEnded);
        onEnded();
        return rows;
      } catch (error) {
        onEnded();
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
function trackStream(rows: RowStream, onEnded: () => void): RowStream {
  let over = false;
  const end = (): void => {
    if (over) return;
    over = true;
    onEnded();
  };
  return observeStream(rows, { onEnd: end, onClosed: end });
}
