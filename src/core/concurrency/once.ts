/** Does the work on the first call; every call returns the promise of that work, even a call that the work itself makes before its first `await`. */
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
