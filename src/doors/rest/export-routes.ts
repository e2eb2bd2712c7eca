import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Call } from '../../delivery/call.ts';
import type { Downloads } from '../../delivery/use-cases/download.ts';
import type { DeliverExport, DeliverExportFile } from '../../delivery/use-cases/export.ts';
import type { ExportFile } from '../../results/files/export-files.ts';
import { DOWNLOAD_PATH, downloadLink } from '../download-link.ts';
import { anonymousCall, callOf, isForged, jsonTypesOf } from '../http/call-of.ts';
import { bodyStream, contentCodingOf, varyByCoding } from '../http/content-coding.ts';
import { sendFailure } from '../http/failure-response.ts';
import { documented, documentedOpen, undocumented } from '../http/openapi.ts';
import type { Origins } from '../http/origins.ts';
import { etagOf, readExportForm, readRange, readToken } from './export-form.ts';
import { downloadQuery, exportLink, linkQuery, sentQuery } from './wire.ts';

export interface ExportRouteParts {
  readonly deliverExport: DeliverExport;
  readonly deliverExportFile: DeliverExportFile;
  readonly downloads: Downloads;
  readonly origins: Origins;
  readonly baseUrl: () => string;
}

/** Complete results as files: streamed, or stored first and downloaded by a link. */
export function registerExportRoutes(app: FastifyInstance, parts: ExportRouteParts): void {
  app.post(
    '/api/v1/Export/ExecuteQuery',
    documented('Export', 'Run a query and return its complete result as a file', { querystring: linkQuery, body: sentQuery }),
    asCaller(parts, async (call, request, reply) => {
      const exported = await parts.deliverExport(call, () => readExportForm(request, jsonTypesOf(call)));
      if (!exported.ok) return sendFailure(request, reply, exported.failure);
      const { format, fileName } = exported.value.head;
      const coding = compressible.has(format.name) ? contentCodingOf(request.headers['accept-encoding']) : null;
      if (compressible.has(format.name)) varyByCoding(reply);
      if (coding !== null) reply.header('Content-Encoding', coding);
      return asFile(reply, { mimeType: format.mimeType, fileName }).send(bodyStream(exported.value.body, coding));
    }),
  );
  app.post(
    '/api/v1/Export/CreateLink',
    documented('Export', 'Run a query, store its complete result as a file, and return a link that is valid for ten minutes', {
      querystring: linkQuery,
      body: sentQuery,
      response: { 200: exportLink },
    }),
    asCaller(parts, async (call, request, reply) => {
      const file = await parts.deliverExportFile(call, () => readExportForm(request, jsonTypesOf(call)));
      if (!file.ok) return sendFailure(request, reply, file.failure);
      return reply.header('Cache-Control', 'no-store').type('application/json').send(downloadLink(parts.baseUrl(), file.value));
    }),
  );
  registerDownload(app, parts.downloads);
}

function registerDownload(app: FastifyInstance, downloads: Downloads): void {
  // registered before GET, whose implicit HEAD would read the whole file
  app.head(DOWNLOAD_PATH, undocumented, async (request, reply) => {
    const file = await downloads.head(byToken(request, reply), () => readToken(request));
    if (!file.ok) return sendFailure(request, reply, file.failure);
    return asDownload(reply, file.value).header('Content-Length', file.value.size).send();
  });
  app.get(
    DOWNLOAD_PATH,
    documentedOpen('Export', 'The file behind a link', { querystring: downloadQuery }),
    async (request, reply) => {
      const download = await downloads.body(
        byToken(request, reply),
        () => readToken(request),
        (file) => readRange(request, file),
      );
      if (!download.ok) return sendFailure(request, reply, download.failure);
      const { file, range } = download.value.head;
      if (range !== null) reply.code(206).header('Content-Range', `bytes ${range.start}-${range.end - 1}/${file.size}`);
      return asDownload(reply, file)
        .header('Content-Length', range === null ? file.size : range.end - range.start)
        .send(bodyStream(download.value.body, null));
    },
  );
}

const compressible: ReadonlySet<string> = new Set(['csv', 'json', 'ndjson']); // the other formats are compressed already

const asCaller =
  ({ origins }: ExportRouteParts, handle: (call: Call, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const call = callOf(request, reply, 'export', { cookie: true });
    if (isForged(request, call, origins)) return sendFailure(request, reply, { kind: 'OriginNotAllowed' });
    return handle(call, request, reply);
  };

/** Only the token authenticates; cookies and headers are ignored. */
const byToken = (request: FastifyRequest, reply: FastifyReply): Call => anonymousCall(request, reply, 'export');

const asFile = (reply: FastifyReply, { mimeType, fileName }: Pick<ExportFile, 'mimeType' | 'fileName'>): FastifyReply =>
  reply.type(mimeType).header('Content-Disposition', attachment(fileName)).header('Cache-Control', 'no-store');

const asDownload = (reply: FastifyReply, file: ExportFile): FastifyReply =>
  asFile(reply, file).header('Accept-Ranges', 'bytes').header('ETag', etagOf(file));

/**
 * RFC 6266: an ASCII name for every client, and the full name for those that support RFC 8187. `fileName` comes from
 * `fileNameOf`.
 */
export function attachment(fileName: string): string {
  const plain = fileName
    .normalize('NFKD')
    .replace(/\p{Mn}+/gu, '')
    .replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  const quoted = `attachment; filename="${plain}"`;
  return plain === fileName ? quoted : `${quoted}; filename*=UTF-8''${extended(fileName)}`;
}

const extended = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
