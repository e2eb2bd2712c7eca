import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { failed, fieldInvalid, type Result, succeeded } from '../../core/errors.ts';
import type { Call } from '../../pipeline/call.ts';
import type { IssueEmbed } from '../../pipeline/use-cases/embed-issue.ts';
import type { EmbedPictures } from '../../pipeline/use-cases/embed-pictures.ts';
import type { PictureSize, View, ViewEmbed, ViewedChart } from '../../pipeline/use-cases/embed-view.ts';
import { callOf, forgeryOf, jsonTypesOf } from '../http/call-of.ts';
import { bodyStream, contentCodingOf } from '../http/content-coding.ts';
import { problem, sendFailure, sendJson, startFailure } from '../http/failure-response.ts';
import {
  anyCredential,
  type Content,
  credentialFailures,
  fieldFailures,
  type Operation,
  runFailures,
} from '../http/operation.ts';
import type { Origins } from '../http/origins.ts';
import { queryValue } from '../input/fields.ts';
import { isJson } from '../input/json.ts';
import { embedUrlQuery, imageQuery, linkResponse, tokenQuery } from '../wire/embed-fields.ts';
import { readEmbedForm } from './embed-form.ts';
import { embedLink, IMAGE_PATH, RENDER_PATH } from './embed-link.ts';
import { embedPage } from './embed-page.ts';
import { registerEmbedScript } from './embed-script.ts';
import { messagePage, createMessagePictures, type PictureFormat } from './message-page.ts';

export interface EmbedRouteParts {
  readonly issueEmbed: IssueEmbed;
  readonly viewEmbed: ViewEmbed;
  readonly toPng: (svg: string) => Promise<Buffer>;
  readonly pictures: EmbedPictures;
  readonly script: string | null; // file name; null: charts are static pictures
  readonly frameAncestors: string;
  readonly origins: Origins;
  readonly baseUrl: () => string;
}

const issueOperation = {
  tag: 'Embeds',
  summary: 'A link that shows a chart to viewers who do not sign in',
  description: 'A POST may also send the options as a JSON or form body.',
  query: embedUrlQuery,
  responses: { 200: linkResponse },
  failures: [
    ...credentialFailures,
    ...fieldFailures,
    ...runFailures,
    'CredentialNotSuitable',
    'KeyLimited',
    'PermissionDenied',
    'StateConflict',
    'LimitReached',
  ],
  example: {
    query: {
      queryName: 'QD_Sales_by_region_Demo',
      chartType: 'bar',
      labelColumn: 'Region',
      dataColumn: 'Net revenue',
      expirationDays: '30',
      title: 'Sales by region',
    },
  },
} as const;
const viaGet = { id: 'getEmbedUrl', credentials: ['apiKey', 'bearer', 'basic'] } as const;
const viaPost = {
  id: 'createEmbedUrl',
  credentials: anyCredential,
  failures: [...issueOperation.failures, 'OriginNotAllowed', 'MediaTypeUnsupported'],
} as const;

const page: Content = { 'text/html': z.string() };
const picture: Content = { 'image/svg+xml': z.string(), 'image/png': null };

/** Failures are shown to the viewer, as a page or a picture. */
const viewOperation = {
  tag: 'Embeds',
  credentials: [],
  failures: [
    ...runFailures,
    'CredentialMissing',
    'CredentialInvalid',
    'CredentialExpired',
    'CredentialRevoked',
    'StateConflict',
    'ChartTooLarge',
    'Overloaded',
    'StoreUnavailable',
  ],
} as const;

const renderOperation: Operation = {
  ...viewOperation,
  id: 'renderEmbed',
  summary: 'The chart of a token, as a page',
  query: tokenQuery,
  responses: { 200: { description: 'The page.', content: page } },
  failureContent: page,
};

const imageOperation: Operation = {
  ...viewOperation,
  id: 'renderEmbedImage',
  summary: 'The chart of a token, as a picture',
  query: imageQuery,
  responses: { 200: { description: 'The picture.', content: picture } },
  failures: [...viewOperation.failures, 'FieldInvalid'],
  failureContent: { ...picture, ...page, 'application/problem+json': problem },
};

/** docs/spec.md 4.3 and 4.4: a link to a chart for authenticated callers, the chart itself for anyone with the link. */
export function registerEmbedRoutes(app: FastifyInstance, parts: EmbedRouteParts): void {
  for (const method of ['GET', 'POST'] as const) {
    app.route({
      method,
      url: '/api/v1/EmbeddedChart/GetEmbedUrl',
      config: { operation: { ...issueOperation, ...(method === 'GET' ? viaGet : viaPost) } },
      handler: (request, reply) => issue(parts, request, reply),
    });
  }
  app.get(RENDER_PATH, { config: { operation: renderOperation } }, (request, reply) => render(parts, request, reply));
  const messagePicture = createMessagePictures(parts.toPng);
  app.get(IMAGE_PATH, { config: { operation: imageOperation } }, (request, reply) =>
    renderImage(parts, messagePicture, request, reply),
  );
  if (parts.script !== null) registerEmbedScript(app);
}

async function issue(parts: EmbedRouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const call = callOf(request, reply, 'rest', { cookie: request.method === 'POST' });
  const forgery = forgeryOf(request, call, parts.origins);
  if (forgery !== null) return sendFailure(request, reply, forgery);
  // a cross-site form would send the cookie
  if (call.credential.kind === 'session' && request.headers['content-type'] !== undefined && !isJson(request))
    return sendFailure(request, reply, { kind: 'MediaTypeUnsupported' });
  const issued = await parts.issueEmbed(call, () => readEmbedForm(request, jsonTypesOf(call)));
  if (!issued.ok) return sendFailure(request, reply, issued.failure);
  return sendJson(reply, embedLink(parts.baseUrl(), issued.value));
}

async function render(parts: EmbedRouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const nonce = randomBytes(16).toString('base64url');
  let frameAncestors = '';
  const page = await parts.viewEmbed(byToken(request, reply), viewOf(request, 'embed.render'), async (chart) => {
    frameAncestors = chart.embed.chart.frameAncestors;
    const size = sizeFor(request);
    return embedPage({
      chart,
      size,
      picture: await parts.pictures.take(chart, themeOf(chart), size, parts.script !== null),
      nonce,
      script: parts.script && `../../../embed/${parts.script}`,
    }); // relative, because a proxy may serve the page below a path
  });
  if (!page.ok) startFailure(request, reply, page.failure);
  const html = page.ok ? page.value : messagePage(page.failure, request.id, nonce);
  return sendPage(parts, request, reply, nonce, html, frameAncestors);
}

async function renderImage(
  parts: EmbedRouteParts,
  messagePicture: ReturnType<typeof createMessagePictures>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const format = readFormat(request);
  if (!format.ok) return sendFailure(request, reply, format.failure);
  const image = await parts.viewEmbed(byToken(request, reply), viewOf(request, 'embed.image'), async (chart) => {
    const body = await chart[format.value](themeOf(chart));
    if (typeof body === 'string') parts.pictures.keep(chart.embed, body);
    return { format: format.value, body };
  });
  if (!image.ok) startFailure(request, reply, image.failure);
  if (!image.ok && isOpenedAsPage(request)) {
    const nonce = randomBytes(16).toString('base64url');
    return sendPage(parts, request, reply, nonce, messagePage(image.failure, request.id, nonce));
  }
  const picture = image.ok ? image.value : await messagePicture(image.failure, format.value);
  return reply
    .header('Cache-Control', 'no-store')
    .header('Cross-Origin-Resource-Policy', 'cross-origin')
    .header('Content-Security-Policy', "default-src 'none'; sandbox")
    .type(picture.format === 'png' ? 'image/png' : 'image/svg+xml; charset=utf-8')
    .send(picture.body);
}

/** A preview in the web interface is not a view. */
const viewOf = (request: FastifyRequest, action: string): View => ({
  action,
  counts: queryValue(request.query, 'preview') !== 'true',
});

/** Only the token authenticates; cookies and headers are ignored. */
function byToken(request: FastifyRequest, reply: FastifyReply): Call {
  const token = queryValue(request.query, 'token') ?? '';
  const call = callOf(request, reply, 'embed', { cookie: false });
  if (token === '') return { ...call, credential: { kind: 'none' } };
  return { ...call, credential: { kind: 'embed', token: typeof token === 'string' ? token : '' } };
}

function readFormat(request: FastifyRequest): Result<PictureFormat> {
  const sent = String(queryValue(request.query, 'format') ?? '').toLowerCase();
  if (sent === '' || sent === 'svg') return succeeded('svg');
  return sent === 'png' ? succeeded('png') : failed(fieldInvalid('format', 'Expected svg or png.'));
}

/** Browsers that follow a link ask for HTML; <img> elements and mail clients do not. */
const isOpenedAsPage = ({ headers: { accept = '' } }: FastifyRequest): boolean => /\btext\/html\b/i.test(accept);

/** The page adapts a light picture to a dark system. */
const themeOf = ({ embed }: ViewedChart): 'light' | 'dark' => (embed.chart.theme === 'dark' ? 'dark' : 'light');

/** Every browser on a phone has this word. Elsewhere a narrow frame scales the wide picture down until the script has drawn its own. */
const sizeFor = ({ headers }: FastifyRequest): PictureSize => (/\bMobi/i.test(headers['user-agent'] ?? '') ? 'narrow' : 'wide');

function sendPage(
  { frameAncestors }: EmbedRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  nonce: string,
  html: string,
  framedBy = '',
): FastifyReply {
  const coding = contentCodingOf(request.headers['accept-encoding']);
  if (coding !== null) reply.header('Content-Encoding', coding);
  return reply
    .header('Cache-Control', 'no-store')
    .header('Content-Security-Policy', policy(nonce, frameAncestors) + (framedBy === '' ? '' : `, frame-ancestors ${framedBy}`)) // both hold
    .header('Cross-Origin-Resource-Policy', 'cross-origin')
    .header('Vary', 'Accept-Encoding')
    .type('text/html; charset=utf-8')
    .send(coding === null ? html : bodyStream(Readable.from([Buffer.from(html)]), coding));
}

/** The sandbox gives the page an opaque origin: injected script could reach neither cookies nor the API. */
const policy = (nonce: string, frameAncestors: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    'img-src data: blob:',
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors}`,
    'sandbox allow-scripts allow-downloads',
  ].join('; ');
