/** A bound was reached before the result was whole; the message is for a person. */
export class ResultBoundError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ResultBoundError';
  }
}
