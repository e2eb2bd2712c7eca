/** The reason of a signal that stopped an execution. */
export class ExecutionCancelledError extends Error {
  readonly by: 'user' | 'shutdown';
  constructor(by: 'user' | 'shutdown') {
    super(by === 'user' ? 'cancelled by a user' : 'the service is stopping');
    this.name = 'ExecutionCancelledError';
    this.by = by;
  }
}

/** Who cancelled an execution, from the cause of its failure. */
export function findCanceller(cause: unknown): { by?: 'user' | 'shutdown' } {
  if (cause instanceof ExecutionCancelledError) return { by: cause.by };
  return cause instanceof Error && cause.cause !== undefined ? findCanceller(cause.cause) : {};
}
