import type { ParameterDefinition } from '../../catalog/query.ts';
import { ConnectorError } from '../../connectors/connector.ts';
import type { BoundParameter } from '../../core/sql-value.ts';
import type { RowStream } from '../../results/row-stream.ts';

/** Error messages of databases quote values. This replaces masked values by ***, because the message goes to the log. */
export type MaskError = (error: unknown) => unknown;

/** Null if no value is masked. */
export function maskErrors(declared: readonly ParameterDefinition[], values: readonly BoundParameter[]): MaskError | null {
  if (!declared.some((each) => each.masked === true)) return null;
  const masked = new Set(declared.filter((each) => each.masked === true).map(({ name }) => name));
  const texts = values
    .filter(({ name }) => masked.has(name))
    .flatMap((each) => ('items' in each ? each.items : [each]))
    .flatMap(({ value }) => (value === null || value === '' ? [] : [value]));
  if (texts.length === 0) return null;
  return (error) => {
    if (!(error instanceof ConnectorError)) return error;
    const message = texts.reduce((text, value) => text.replaceAll(value, '***'), error.message);
    const { kind, position, isForAuthors } = error;
    // without its cause, which contains the same message
    return new ConnectorError(kind, message, { position, isForAuthors });
  };
}

/** The same rows, with masked values removed from errors. */
export function withMaskedErrors(rows: RowStream, mask: MaskError | null): RowStream {
  if (mask === null) return rows;
  const { columns } = rows;
  return {
    columns,
    async *batches() {
      try {
        yield* rows.batches();
      } catch (error) {
        throw mask(error);
      }
    },
    close: () => rows.close(),
  };
}
