/** The message of an error, on one line. */
export function messageOf(error: unknown): string {
  return oneLine(error instanceof Error && error.message !== '' ? error.message : String(error));
}

export const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ').trim();
