/** A result that a format cannot hold. The message tells the caller which column and what to do. */
export class FormatError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FormatError';
  }
}
