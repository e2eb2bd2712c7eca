const CHUNKS_BETWEEN = 16; // about 8 MiB

/**
 * Counts the chunks of a result and collects garbage after every few of them. DuckDB frees a chunk when its object is collected, but
 * V8 does not know of the half megabyte behind it: a million rows would use more than a hundred megabytes. A minor collection takes
 * a millisecond. The process is started with `--expose-gc`.
 */
export function chunkCollector(): () => void {
  let chunks = 0;
  return () => {
    if (++chunks % CHUNKS_BETWEEN === 0) globalThis.gc?.({ type: 'minor', execution: 'sync' });
  };
}
