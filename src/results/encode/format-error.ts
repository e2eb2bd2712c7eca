/** A result that a format cannot represent. The message names the column and the remedy. */
export class FormatError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FormatError';
  }
}
