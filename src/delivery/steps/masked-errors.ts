import type { ParameterDefinition } from '../../catalog/query.ts';
import { ConnectorError } from '../../connectors/connector.ts';
import type { RowStream } from '../../results/row-stream.ts';
import type { BoundValue } from '../../sql-value.ts';

/** Databases quote the value that they stumble over. The log, which more people read than may know it, shows *** for a masked one. */
export type MaskError = (error: unknown) => unknown;

/** Null where no value is masked: then nothing needs to be done. */
export function maskErrors(declared: readonly ParameterDefinition[], values: readonly BoundValue[]): MaskError | null {
  if (!declared.some((each) => each.masked === true)) return null;
  const masked = new Set(declared.filter((each) => each.masked === true).map(({ name }) => name));
  const texts = values.flatMap(({ name, value }) => (masked.has(name) && value !== null && value !== '' ? [value] : []));
  if (texts.length === 0) return null;
  return (error) => {
    if (!(error instanceof ConnectorError)) return error;
    const message = texts.reduce((text, value) => text.replaceAll(value, '***'), error.message);
    const { kind, position } = error;
    // without its cause, which says the same in the driver's words
    return new ConnectorError(kind, message, position === undefined ? {} : { position });
  };
}

/** The same rows, with errors that keep masked values to themselves. */
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
