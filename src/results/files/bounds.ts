/** A bound was reached before the result was complete; the message is shown to users. */
export class ResultBoundError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ResultBoundError';
  }
}
