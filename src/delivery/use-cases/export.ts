import { type Result, succeeded } from '../../errors.ts';
import type { RowFormat } from '../../results/encode/row-format.ts';
import { fileNameOf } from '../../results/file-name.ts';
import type { Spools } from '../../results/files/spool.ts';
import type { Call } from '../call.ts';
import type { DeliverStream } from '../deliver.ts';
import type { Streamed } from '../steps/audited-stream.ts';
import { type Encode, type ExportForm, exportFailure } from '../steps/encode.ts';

export interface ExportHead {
  readonly format: RowFormat;
  readonly fileName: string;
}

export type DeliverExport = (call: Call, form: () => Result<ExportForm>) => Promise<Result<Streamed<ExportHead>>>;

export interface ExportParts {
  readonly deliverStream: DeliverStream;
  readonly encode: Encode;
  readonly spools: Spools;
}

/** Streams the whole result. If the body throws, the connection must be cut: a truncated file must not look complete. */
export function createDeliverExport({ deliverStream, encode, spools }: ExportParts): DeliverExport {
  return (call, form) =>
    deliverStream({ call, action: 'query.export', form }, async (authorised) => {
      const encoding = await encode(authorised);
      if (!encoding.ok) return encoding;
      const { format } = authorised.form;
      const { name, epilogue } = authorised.query.current.definition;
      return succeeded({
        head: { format, fileName: fileNameOf(name, format.extension) },
        // rows of a query with an Epilogue may be sent only after it has committed
        body: spools.spool(authorised.principal.userId, encoding.value.bytes, { wholeFirst: epilogue !== undefined }),
        failureOf: exportFailure,
      });
    });
}
