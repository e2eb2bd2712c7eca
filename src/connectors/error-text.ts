/** The message of an error, on one line. A host with several addresses fails with one error for each, and no message of its own. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return oneLine(error instanceof Error && error.message !== '' ? error.message : String(error));
}

const longestText = 1000;

/** An error text that somebody else wrote, for a person to read. */
export const shortened = (text: string): string => {
  const line = oneLine(text);
  return line.length > longestText ? `${line.slice(0, longestText)}…` : line;
};

/** The host of a connection need not be a database: what it sends is shown only if it is an error of the engine. */
export const foreignResponse = (engine: string): string =>
  `The server did not respond as ${engine} does. Check the host, the port and the kind of database.`;

export const oneLine = (text: string): string => text.replace(/(?<!\s)\s*\n\s*/g, ' ').trim();
