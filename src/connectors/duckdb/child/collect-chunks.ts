const CHUNKS_BETWEEN = 16; // about 8 MiB

/**
 * Counts the chunks that a result has passed through and has the engine let go of them now and then. DuckDB frees a chunk when its
 * object is collected, but the engine sees only that object and not the half megabyte behind it: a million rows would pile up to more
 * than a hundred megabytes before it looks. Collecting the young takes a millisecond. The process is started with `--expose-gc`.
 */
export function chunkCollector(): () => void {
  let chunks = 0;
  return () => {
    if (++chunks % CHUNKS_BETWEEN === 0) globalThis.gc?.({ type: 'minor', execution: 'sync' });
  };
}
