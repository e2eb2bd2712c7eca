/** The message of an error, on one line. A host with several addresses fails with one error for each, and no message of its own. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return oneLine(error instanceof Error && error.message !== '' ? error.message : String(error));
}

export const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ').trim();
