import { withBasePath } from './base-path.ts';

const ASK_EVERY_MS = 3000;

/** Calls back when the service is ready again. Asks only while the tab is visible. Returns a function that stops asking. */
export function whenReady(onReady: () => void): () => void {
  const ask = async (): Promise<void> => {
    const isReady = !document.hidden && (await isServiceReady());
    if (stopped) return;
    if (isReady) onReady();
    else timer = setTimeout(ask, ASK_EVERY_MS);
  };
  let stopped = false;
  let timer = setTimeout(ask, ASK_EVERY_MS);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** A proxy that does not pass /readyz on, but responds, counts as ready. */
export async function isServiceReady(): Promise<boolean> {
  try {
    const { status } = await fetch(withBasePath('/readyz'), { cache: 'no-store' });
    return status < 500;
  } catch {
    return false;
  }
}
