/** A share of a limit. Disposing it returns the share; disposing it again has no effect. */
export type Lease = Disposable;

export function createLease(release: () => void): Lease {
  let isHeld = true;
  return {
    [Symbol.dispose]() {
      if (!isHeld) return;
      isHeld = false;
      release();
    },
  };
}

/** A share of no limit. */
export const unlimited: Lease = { [Symbol.dispose]: () => undefined };
