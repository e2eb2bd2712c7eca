import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { SentParameter } from '../../catalog/parameter.ts';
import { type Failure, failureTable, isCredentialFailure, type Result, succeeded } from '../../core/errors.ts';
import type { Streamed } from '../../pipeline/steps/audit-stream.ts';
import {
  type DataConditions,
  type DataHead,
  type DeliverData,
  type DeliverLink,
  isRanged,
  toTag,
} from '../../pipeline/use-cases/data.ts';
import { formats } from '../../results/encode/formats.ts';
import type { RowFormat } from '../../results/encode/row-format.ts';
import { dispositionOf } from '../../results/file-name.ts';
import { callOf, callWith } from '../http/call-of.ts';
import { addVary, bodyStream, type ContentCoding, contentCodingOf } from '../http/content-coding.ts';
import { BASIC_CHALLENGE, sendFailure } from '../http/failure-response.ts';
import { credentialFailures, type Operation, type ResponseBody, runFailures, versionHeaders } from '../http/operation.ts';
import { noteVersion } from '../http/server.ts';
import { pathValue } from '../input/fields.ts';
import { fileBody, readRange } from '../wire/export-fields.ts';

export interface DataRouteParts {
  readonly deliverData: DeliverData;
  readonly deliverLink: DeliverLink;
  readonly baseUrl: () => string;
}

const file: ResponseBody = { ...fileBody, headers: ['Content-Disposition', 'ETag', ...versionHeaders] };

const shared = {
  tag: 'Data',
  description:
    'Values of parameters stand in the query string (`?Region=North`); a list repeats the name. HEAD works, too; `Range` for csv and parquet.',
  query: z.looseObject({}),
  responses: {
    200: file,
    206: { ...file, description: 'The part of the file that the header `Range` asks for.' },
    304: { description: 'The file is the one of `If-None-Match`.' },
  },
  failures: [
    ...credentialFailures,
    ...runFailures,
    'NotFound',
    'MethodNotAllowed',
    'ExportSpaceFull',
    'FileChanged',
    'RangeInvalid',
  ],
} as const;

const FILE_OF_FORMAT = `file of this name. Names end in ${Object.keys(formats)
  .map((name) => `.${name}`)
  .join(', ')}`;
const fileName = z.string().describe('The name of the file with its format: csv, json, ndjson, xlsx or parquet.');

const dataOperation: Operation = {
  ...shared,
  id: 'readData',
  summary: 'The whole result of a query as a file, by its technical name and format',
  credentials: ['apiKey', 'bearer', 'basic'],
  params: z.object({ file: fileName }),
};

const linkOperation: Operation = {
  ...shared,
  id: 'readDataLink',
  summary: 'The whole result of a query as a file, by the address of a data link',
  credentials: [],
  params: z.object({ token: z.string().describe('Of the data link.'), file: fileName }),
  failures: [...shared.failures, 'BoundToCaller'],
};

interface Named {
  readonly name: string;
  readonly format: RowFormat;
}

type Handle = (named: Named, request: FastifyRequest, reply: FastifyReply) => Promise<Result<Streamed<DataHead>>>;

/** Rows for programs that can only open an address: with the reader's credential, or by a data link. */
export function registerDataRoutes(app: FastifyInstance, { deliverData, deliverLink, baseUrl }: DataRouteParts): void {
  const register = (url: string, operation: Operation, handle: Handle, refuse: typeof sendFailure): void => {
    const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const named = readName(request);
      if (named === null) return sendFailure(request, reply, { kind: 'NotFound', what: FILE_OF_FORMAT });
      const data = await handle(named, request, reply);
      if (!data.ok) return refuse(request, reply, data.failure);
      const { ran, format } = data.value.head;
      // readers of a link have no access to the query
      if (operation === linkOperation) noteVersion(reply, ran);
      else noteVersion(reply, ran, (query) => `${baseUrl()}/data/${query}.${format.name}`);
      return send(data.value, request, reply);
    };
    // registered before GET, whose implicit HEAD would read the whole file
    app.head(url, { config: { operation: null } }, handler);
    app.get(url, { config: { operation } }, handler);
  };
  const byCredential: Handle = ({ name, format }, request, reply) =>
    deliverData(callOf(request, reply, 'data', { cookie: false }), () =>
      succeeded({
        run: { queryName: name },
        parameters: readParameters(request),
        format,
        conditions: readConditions(request, format),
      }),
    );
  const byToken: Handle = ({ name, format }, request, reply) =>
    deliverLink(callWith({ kind: 'link', token: pathValue(request.params, 'token') }, request, reply, 'link'), {
      fileName: `${name}.${format.name}`,
      format,
      sent: readParameters(request),
      conditions: readConditions(request, format),
    });
  register('/data/:file', dataOperation, byCredential, sendChallenge);
  const refuseReader: typeof sendFailure = (request, reply, failure) => sendFailure(request, reply, addressReader(failure));
  register('/data/:token/:file', linkOperation, byToken, refuseReader);
}

/** Readers of a link have no account here: the message says what they can do. */
const addressReader = (failure: Failure): Failure =>
  isCredentialFailure(failure) ||
  failure.kind === 'QueryNotAccessible' ||
  failure.kind === 'CallerAttributeMissing' ||
  failure.kind === 'CallerAttributeAmbiguous' ||
  failure.kind === 'ExportSpaceFull'
    ? { ...failure, of: 'link' }
    : failure;

/** Excel and Power Query ask for a name and a password if the response to a call without a good one says so. */
function sendChallenge(request: FastifyRequest, reply: FastifyReply, failure: Failure): FastifyReply {
  if (failureTable[failure.kind].status === 401) reply.header('WWW-Authenticate', BASIC_CHALLENGE);
  return sendFailure(request, reply, failure);
}

function readName(request: FastifyRequest): Named | null {
  const [, name, extension = ''] = /^(.+)\.([a-z]+)$/is.exec(pathValue(request.params, 'file')) ?? [];
  const format = Object.values(formats).find((each) => each.name === extension.toLowerCase());
  return name === undefined || format === undefined ? null : { name, format };
}

const readParameters = ({ query }: FastifyRequest): readonly SentParameter[] =>
  Object.entries(query ?? {}).map(([ParameterName, Value]) => ({ ParameterName, Value }));

type Conditions = DataConditions & { readonly coding: ContentCoding | null };

function readConditions({ method, headers }: FastifyRequest, format: RowFormat): Conditions {
  const isHead = method === 'HEAD';
  const range = readRange(headers.range);
  const ifMatch = readTags(headers['if-match']);
  // of a whole file that is named by its ETag, too: the ETag of HEAD is that of the uncoded file
  const isPart = isHead || ifMatch !== null || (range !== null && isRanged(format));
  return {
    isHead,
    range: isHead ? null : range,
    ifRange: headers['if-range']?.toString() ?? null,
    ifMatch,
    ifNoneMatch: readTags(headers['if-none-match']),
    coding: isPart || !format.isText ? null : contentCodingOf(headers['accept-encoding']),
  };
}

const readTags = (header: string | undefined): readonly string[] | '*' | null =>
  header === undefined ? null : header.trim() === '*' ? '*' : (header.match(/(?:W\/)?"[^"]*"/g) ?? []);

function send({ head, body }: Streamed<DataHead>, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { format, range, size, status } = head;
  const { coding, isHead } = readConditions(request, format);
  addVary(reply, 'Accept-Encoding, Authorization, X-API-Key')
    .code(status)
    .header('ETag', toTag(head.etag, coding))
    .header('Last-Modified', new Date(head.startedAt).toUTCString())
    .header('Cache-Control', `private, max-age=${head.cacheSeconds}`)
    .header('Cross-Origin-Resource-Policy', 'same-origin'); // a browser that knows the password sends it with calls of other sites, too
  if (status === 304) return reply.send();
  reply
    .type(format.mimeType)
    .header('Content-Disposition', dispositionOf('inline', head.fileName))
    .header('Accept-Ranges', isRanged(format) ? 'bytes' : 'none');
  if (coding !== null) reply.header('Content-Encoding', coding);
  if (range !== null) reply.header('Content-Range', `bytes ${range.start}-${range.end - 1}/${size}`);
  if (size !== null && coding === null) reply.header('Content-Length', range === null ? size : range.end - range.start);
  return isHead ? reply.send() : reply.send(bodyStream(body, coding));
}
