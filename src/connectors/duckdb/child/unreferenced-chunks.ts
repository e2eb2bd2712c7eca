/**
 * DuckDB frees a chunk when its JavaScript object is collected, but V8 does not know of the memory behind it: many short results would keep
 * hundreds of megabytes. So garbage is collected by the bytes of all runs, and some time after the last one. The process has `--expose-gc`.
 */
const collectAfterBytes = 16 << 20;
const collectAllAfterMs = 3000;

let bytes = 0; // since the last minor collection
let timer: NodeJS.Timeout | undefined;

/** A chunk is no longer used, of which this many bytes were sent. */
export function noteUnreferenced(sent: number): void {
  timer ??= setTimeout(collectAll, collectAllAfterMs).unref();
  bytes += sent;
  if (bytes < collectAfterBytes) return;
  bytes = 0;
  globalThis.gc?.({ type: 'minor', execution: 'sync' }); // takes a millisecond
}

/** Chunks that waited for a reader have survived minor collections. */
function collectAll(): void {
  timer = undefined;
  bytes = 0;
  globalThis.gc?.({ type: 'major', execution: 'sync' });
}
