/** Whether the work ends, successfully or not, within this time. Also true as soon as the caller disconnects, because nobody waits any more. */
export function endsWithin(work: Promise<unknown>, waitMs: number | undefined, signal?: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = waitMs === undefined ? undefined : setTimeout(() => finish(false), waitMs);
    const leave = () => finish(true);
    const finish = (isEnded: boolean) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
      resolve(isEnded);
    };
    signal?.addEventListener('abort', leave);
    if (signal?.aborted) leave();
    work.then(leave, leave);
  });
}
