/** The second time for what was still in use at the first, such as the buffers of connections that were being closed. */
const DELAYS_MS = [2000, 6000];

/**
 * Collects garbage some time after the last large response was sent or abandoned. V8 collects when the service allocates; at rest it would keep
 * their memory for good. `bin/sluice` passes `--expose-gc`.
 */
export function createGarbageCollection(): () => void {
  let timers: readonly NodeJS.Timeout[] = [];
  const collect = (): void => globalThis.gc?.({ type: 'major', execution: 'sync' });
  return () => {
    for (const timer of timers) clearTimeout(timer);
    timers = DELAYS_MS.map((delay) => setTimeout(collect, delay).unref());
  };
}
