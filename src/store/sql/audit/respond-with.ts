import { parentPort } from 'node:worker_threads';
import { StoreError, type StoreErrorKind } from '../../metadata-store.ts';

/** The response of a thread: an error cannot be cloned with its class. */
export type Outcome<Response> = { readonly response: Response } | { readonly problem: Problem };

interface Problem {
  readonly kind: StoreErrorKind | null; // null: a defect, the store is available
  readonly message: string;
  readonly cause: string | null;
}

/** The side of an `orderedWorker` that runs in the thread: responds to one request after another. */
export function respondWith<Request, Response>(respond: (request: Request) => Response | Promise<Response>): void {
  let last: Promise<void> = Promise.resolve();
  parentPort?.on('message', (request: Request) => {
    last = last.then(async () => parentPort?.postMessage(await outcomeOf(() => respond(request))));
  });
}

async function outcomeOf<Response>(respond: () => Response | Promise<Response>): Promise<Outcome<Response>> {
  try {
    return { response: await respond() };
  } catch (error) {
    const kind = error instanceof StoreError ? error.kind : null;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : null;
    return { problem: { kind, message: error instanceof Error ? error.message : String(error), cause } };
  }
}

export function errorOf({ kind, message, cause }: Problem): Error {
  const options = cause === null ? {} : { cause: new Error(cause) };
  return kind === null ? new TypeError(message, options) : new StoreError(kind, message, options);
}
