/** The server's error for a statement. */
export class ServerError extends Error {
  readonly code: string; // SQLSTATE
  readonly hint: string | undefined;
  readonly position: number | undefined; // of a character, from 1
  readonly isFatal: boolean; // the server closes the connection

  constructor(fields: ReadonlyMap<string, string>) {
    super(fields.get('M') ?? 'The database gave no reason.');
    this.name = 'ServerError';
    this.code = fields.get('C') ?? '';
    this.hint = fields.get('H');
    const position = Number(fields.get('P'));
    this.position = position > 0 ? position : undefined;
    this.isFatal = ['FATAL', 'PANIC'].includes(fields.get('V') ?? fields.get('S') ?? '');
  }
}

export class LostConnectionError extends Error {
  constructor(cause: Error | undefined) {
    super(cause?.message ?? 'The connection to the database was lost.', { cause });
    this.name = 'LostConnectionError';
  }
}

export function readServerError(body: Buffer): ServerError {
  const fields = new Map<string, string>();
  let at = 0;
  while (at < body.length && body[at] !== 0) {
    const end = body.indexOf(0, at + 1);
    if (end < 0) break;
    fields.set(String.fromCharCode(body[at] ?? 0), body.toString('utf8', at + 1, end));
    at = end + 1;
  }
  return new ServerError(fields);
}
