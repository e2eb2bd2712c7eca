/** Polls `read` until `done` accepts its value or the time is over, and returns the last value either way. */
export async function waitUntil<T>(read: () => Promise<T>, done: (value: T) => boolean, milliseconds = 20_000): Promise<T> {
  const end = Date.now() + milliseconds;
  for (;;) {
    const value = await read();
    if (done(value) || Date.now() > end) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
