import type { MessageId } from './json-rpc.ts';

/** Tool calls in progress by key and message id, so that `notifications/cancelled` of the same key can end them. */
export class RunningCalls {
  readonly #running = new Map<string, Set<() => void>>();

  /** Returns a function that removes the call. */
  add(key: string, id: MessageId, cancel: () => void): () => void {
    const name = nameOf(key, id);
    const calls = this.#running.get(name) ?? new Set();
    this.#running.set(name, calls.add(cancel));
    return () => {
      calls.delete(cancel);
      if (calls.size === 0 && this.#running.get(name) === calls) this.#running.delete(name);
    };
  }

  /** Message ids are unique per client only: of several calls with the same one, none is cancelled. */
  cancel(key: string, id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    const calls = this.#running.get(nameOf(key, id));
    if (calls?.size === 1) for (const cancel of calls) cancel();
  }
}

const nameOf = (key: string, id: MessageId): string => `${typeof id} ${id} ${key}`;
