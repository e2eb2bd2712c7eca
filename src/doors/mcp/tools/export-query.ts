import { filledFields } from '../../../core/defined-fields.ts';
import { formats } from '../../../results/encode/formats.ts';
import { type DownloadLink, downloadLink } from '../../rest/export-form.ts';
import { modelExportLink } from '../../wire/export-fields.ts';
import { choice, parameterValues, text } from '../argument.ts';
import { toParameters } from '../input-required.ts';
import { jsonResponse, renderResult, type ResourceLink, tool } from '../tool.ts';
import { queryToRun, readRun } from './query-reference.ts';

export const exportQuery = tool({
  name: 'export_query',
  title: 'Export query',
  description:
    'Runs a query, writes its complete result to a file (xlsx, csv or json) and returns a download link for the user. Use it if the user wants a file, or if there are more rows than you need to read yourself. Give the user downloadUrl unchanged and say that it works for 10 minutes for anyone who has it. Not for reading rows yourself (execute_query, start_stream): this tool returns no rows.',
  arguments: {
    ...queryToRun('Technical name from list_queries; not the display name.'),
    format: choice('xlsx for Excel, csv for other programs, json for an array of rows.', ['xlsx', 'csv', 'json']),
    parameters: parameterValues(),
    fileName: text('Name of the file; default: the name of the query. The extension is added.'),
  },
  output: modelExportLink,
  withAnswers: toParameters,
  call: (parts, call, read) => {
    const form = readRun(read, ({ format, fileName }) => ({ format: formats[format], ...filledFields({ fileName }) }));
    return renderResult(parts.deliverExportFile(call, form), (file) => {
      const link = downloadLink(parts.baseUrl(), file);
      return { ...jsonResponse(link), links: [resourceLink(link)] };
    });
  },
});

const resourceLink = ({ fileName, mimeType, size, rowCount, downloadUrl, expiresAt }: DownloadLink): ResourceLink => ({
  type: 'resource_link',
  uri: downloadUrl,
  name: fileName,
  mimeType,
  size,
  description: `${rowCount} rows; the link expires at ${expiresAt}.`,
});
