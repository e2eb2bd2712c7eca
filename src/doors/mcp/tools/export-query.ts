import { formats } from '../../../results/encode/formats.ts';
import { type DownloadLink, downloadLink } from '../../download-link.ts';
import { choice, parameterValues, requiredText, text } from '../argument.ts';
import { integer, objectOf, string } from '../json-schema.ts';
import { rendered, formOf, jsonResponse, type ResourceLink, tool } from '../tool.ts';

export const exportQuery = tool({
  name: 'export_query',
  title: 'Export query',
  description:
    'Runs a query, writes its whole result to a file (xlsx, csv or json) and returns a download link for the user. Use it when the user wants a file, or when there are more rows than you need to read yourself. Give the user downloadUrl as it is and say that it works for 10 minutes for whoever has it. Not for reading rows yourself (execute_query, start_stream): this tool returns none.',
  arguments: {
    queryName: requiredText('Technical name from list_queries; not the display name.'),
    format: choice('xlsx for Excel, csv for other programs, json for an array of rows.', ['xlsx', 'csv', 'json']),
    parameters: parameterValues(),
    fileName: text("Name of the file; left out, the query's name. The extension is added."),
  },
  output: objectOf({
    format: string('xlsx, csv or json.'),
    fileName: string('Name of the file.'),
    mimeType: string('Its media type.'),
    size: integer('Bytes.'),
    rowCount: integer('Rows in the file.'),
    downloadUrl: string('Link to the file; needs no key. Whoever has it has the file.'),
    expiresAt: string('When the link ends, ISO 8601 in UTC.'),
  }),
  call: (parts, call, read) => {
    const form = formOf(read, ({ queryName, format, parameters = [], fileName }) => ({
      queryName,
      parameters,
      format: formats[format],
      ...(fileName ? { fileName } : {}),
    }));
    return rendered(parts.deliverExportFile(call, form), (file) => {
      const link = downloadLink(parts.baseUrl(), file);
      return { ...jsonResponse(inOrder(link)), links: [resourceLink(link)] };
    });
  },
});

const inOrder = ({ format, fileName, mimeType, size, rowCount, downloadUrl, expiresAt }: DownloadLink) => ({
  format,
  fileName,
  mimeType,
  size,
  rowCount,
  downloadUrl,
  expiresAt,
});

const resourceLink = ({ fileName, mimeType, size, rowCount, downloadUrl, expiresAt }: DownloadLink): ResourceLink => ({
  type: 'resource_link',
  uri: downloadUrl,
  name: fileName,
  mimeType,
  size,
  description: `${rowCount} rows; the link ends at ${expiresAt}.`,
});
