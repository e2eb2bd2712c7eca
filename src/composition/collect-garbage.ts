/** The second time for what was still in use at the first, such as the buffers of connections that were being closed. */
const DELAYS_MS = [2000, 6000];

/**
 * Collects garbage some time after large responses were sent or abandoned. V8 collects when the service allocates; at rest it would keep their
 * memory for good. `bin/sluice` passes `--expose-gc`.
 */
export function createGarbageCollection(): () => void {
  let pending = 0;
  const collect = (): void => {
    pending--;
    globalThis.gc?.({ type: 'major', execution: 'sync' });
  };
  return () => {
    if (pending > 0) return;
    pending = DELAYS_MS.length;
    for (const delay of DELAYS_MS) setTimeout(collect, delay).unref();
  };
}
