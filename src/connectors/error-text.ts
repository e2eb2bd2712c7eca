/** The message of an error, on one line. For a host with several addresses, the error has no message but contains one error per address. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return joinLines(error instanceof Error && error.message !== '' ? error.message : String(error));
}

const longestText = 1000;

/** A foreign error text, shortened for display. */
export const shortenText = (text: string): string => {
  const line = joinLines(text);
  return line.length > longestText ? `${line.slice(0, longestText)}…` : line;
};

/** The host of a connection need not be a database: what it sends is shown only if it is an error of the engine. */
export const describeForeignResponse = (engine: string): string =>
  `The server did not respond as ${engine} does. Check the host, the port and the kind of database.`;

export const joinLines = (text: string): string => text.replace(/(?<!\s)\s*\n\s*/g, ' ').trim();
