/** The object store failed, was not reachable, or refused; the cause goes to the log. */
export class ObjectStoreError extends Error {
  constructor(cause: unknown) {
    super('The object store cannot be used.', { cause });
    this.name = 'ObjectStoreError';
  }
}
