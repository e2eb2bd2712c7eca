import type { Diagnostic } from '@codemirror/lint';
import type { Text } from '@codemirror/state';

/** The database's error for an SQL text; line and column start at 1. */
export interface SqlError {
  readonly message: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/** Marks the word at the error position, or the whole line if the column is unknown. */
export function diagnosticOf({ message, line, column }: SqlError, doc: Text): Diagnostic {
  const at = doc.line(Math.min(Math.max(line ?? 1, 1), doc.lines));
  const start = column === undefined ? at.from : Math.min(at.from + Math.max(column - 1, 0), at.to);
  const word = column === undefined ? at.text.trimEnd() : (/^[\p{L}\p{N}_@$.]+/u.exec(at.text.slice(start - at.from))?.[0] ?? '');
  const to = Math.min(start + Math.max(word.length, 1), at.to);
  // an empty mark would be invisible
  const from = to === start ? Math.max(at.from, start - 1) : start;
  return { from, to, severity: 'error', message };
}

/** `Line 3, column 8: …` */
export function sqlErrorText({ message, line, column }: SqlError): string {
  if (line === undefined) return message;
  return column === undefined ? `Line ${line}: ${message}` : `Line ${line}, column ${column}: ${message}`;
}
