/** Does the work on the first call; every call returns its promise, also a call that the start of the work makes. */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    if (result !== undefined) return result;
    const { promise, resolve } = Promise.withResolvers<T>();
    result = promise;
    resolve(work());
    return result;
  };
}
