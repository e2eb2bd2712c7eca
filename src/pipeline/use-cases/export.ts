import { failed, type Result, succeeded } from '../../core/errors.ts';
import type { Continuations } from '../../results/continuation.ts';
import type { RowFormat } from '../../results/encode/row-format.ts';
import { fileNameOf } from '../../results/file-name.ts';
import type { ExportFile, ExportFiles } from '../../results/files/export-files.ts';
import type { Spools } from '../../results/files/spool.ts';
import type { Call } from '../call.ts';
import type { Deliver, DeliverStream } from '../deliver.ts';
import type { Streamed } from '../steps/audit-stream.ts';
import { type Encode, type ExportForm, exportFailure } from '../steps/encode.ts';

export interface ExportHead {
  readonly format: RowFormat;
  readonly fileName: string;
}

export type DeliverExport = (call: Call, form: () => Result<ExportFileForm>) => Promise<Result<Streamed<ExportHead>>>;

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
        head: { format, fileName: fileNameOf(authorised.form.fileName ?? name, format.extension) },
        // rows of a query with an Epilogue may be sent only after it has committed
        body: spools.spool(authorised.principal.userId, encoding.value.bytes, { wholeFirst: epilogue !== undefined }),
        failureOf: exportFailure,
      });
    });
}

export interface ExportFileForm extends ExportForm {
  readonly fileName?: string; // default: the name of the query
}

/** A complete file, and the token to download it. */
export interface ExportedFile extends Pick<ExportFile, 'format' | 'fileName' | 'mimeType' | 'size' | 'rowCount' | 'expiresAt'> {
  readonly token: string;
}

export type DeliverExportFile = (call: Call, form: () => Result<ExportFileForm>) => Promise<Result<ExportedFile>>;

export interface ExportFileParts {
  readonly deliver: Deliver;
  readonly encode: Encode;
  readonly files: ExportFiles;
  readonly continuations: Continuations;
}

/** Writes the whole result to a file and issues a link to it; if anything fails, there is neither. */
export function createDeliverExportFile({ deliver, encode, files, continuations }: ExportFileParts): DeliverExportFile {
  return (call, form) =>
    deliver({ call, action: 'query.export', form }, async (authorised) => {
      const encoding = await encode(authorised);
      if (!encoding.ok) return encoding;
      const { form: exportForm, principal, query, draft } = authorised;
      const { userId, authentication } = principal;
      try {
        const file = await files.write(userId, encoding.value.bytes, () => ({
          userId,
          keyId: authentication.kind === 'key' ? authentication.keyId : null,
          forAssistant: call.channel === 'mcp',
          queryName: query.queryName,
          queryVersion: query.current.version,
          parameters: draft.parameters,
          format: exportForm.format.name,
          fileName: fileNameOf(exportForm.fileName ?? query.current.definition.name, exportForm.format.extension),
          mimeType: exportForm.format.mimeType,
          rowCount: draft.rows ?? 0,
        }));
        draft.bytes = file.size;
        const { format, fileName, mimeType, size, rowCount, expiresAt } = file;
        const token = continuations.issue({ kind: 'download', fileId: file.id, userId, expiresAt });
        return succeeded({ format, fileName, mimeType, size, rowCount, expiresAt, token });
      } catch (error) {
        return failed(exportFailure(error));
      } finally {
        await encoding.value.close();
      }
    });
}
