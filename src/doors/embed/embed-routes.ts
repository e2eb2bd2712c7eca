import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { takeOpen } from '../../catalog/open-parameters.ts';
import type { SentParameter } from '../../catalog/parameter.ts';
import { definedFields } from '../../core/defined-fields.ts';
import {
  credentialFailureKinds,
  failed,
  type Failure,
  fieldInvalid,
  type FieldProblem,
  isCredentialFailure,
  type Result,
  succeeded,
} from '../../core/errors.ts';
import type { Call } from '../../pipeline/call.ts';
import type { IssueEmbed } from '../../pipeline/use-cases/embed-issue.ts';
import type { EmbedPictures } from '../../pipeline/use-cases/embed-pictures.ts';
import type { PictureSize, Viewed, ViewEmbed, ViewedChart } from '../../pipeline/use-cases/embed-view.ts';
import { CHOOSE_VALUE } from '../../pipeline/use-cases/open-fields.ts';
import { callOf, callWith, forgeryOf, jsonTypesOf } from '../http/call-of.ts';
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
import { noteVersion } from '../http/server.ts';
import { isObject, queryValue } from '../input/fields.ts';
import { isJson } from '../input/json.ts';
import { embedUrlQuery, imageQuery, linkResponse, tokenQuery } from '../wire/embed-fields.ts';
import { readEmbedForm, readFormBody } from './embed-form.ts';
import { embedLink, IMAGE_PATH, RENDER_PATH, sandboxOf } from './embed-link.ts';
import { embedPage } from './embed-page.ts';
import { registerEmbedScript } from './embed-script.ts';
import { messagePage, createMessagePictures, type PictureFormat } from './message-page.ts';
import { viewForm } from './view-form.ts';

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
  failures: [...runFailures, ...credentialFailureKinds, 'ChartTooLarge', 'Overloaded', 'StoreUnavailable'],
} as const;

const renderOperation: Operation = {
  ...viewOperation,
  id: 'renderEmbed',
  summary: 'The chart of a token, as a page',
  query: tokenQuery,
  responses: { 200: { description: 'The page.', content: page } },
  failureContent: page,
};

const renderAgainOperation: Operation = {
  ...renderOperation,
  id: 'renderEmbedAgain',
  summary: 'The same, with the token of a viewer and the values of open parameters in a form body instead of the address',
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
  app.post(RENDER_PATH, { config: { operation: renderAgainOperation } }, (request, reply) => render(parts, request, reply));
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
  const script = parts.script && `../../../embed/${parts.script}`; // relative, because a proxy may serve the page below a path
  const asked = readViewRequest(request);
  const { sent, isPost } = asked;
  const view = { ...viewOf(request, 'embed.render'), hasFields: true, sent };
  const { shown, embed, fields } = await parts.viewEmbed(byToken(asked, request, reply), view, async (chart) => {
    noteVersion(reply, chart.ran);
    const size = sizeFor(request);
    const seconds = chart.expiresAt === null ? undefined : Math.ceil((chart.expiresAt - Date.now()) / 1000);
    return embedPage({
      chart,
      size,
      picture: await parts.pictures.take(chart, themeOf(chart), size, script !== null && !isPost),
      nonce,
      script,
      form: viewForm({ ...asked, ...chart }, definedFields({ seconds })),
    });
  });
  if (!shown.ok) startFailure(request, reply, shown.failure);
  const isViewerRefused = !shown.ok && isCredentialFailure(shown.failure) && shown.failure.of === 'viewer';
  const unknown = { ...asked, viewer: null, embed: { viewer: 'signed' as const }, fields }; // only signed embeds have viewers
  const form = isViewerRefused ? unknown : embed && { ...asked, embed, fields };
  const known = {
    theme: embed?.chart.theme ?? 'auto',
    problems: shown.ok ? [] : viewerProblems(shown.failure, { embed, fields }, sent),
    ...{ form, script, isPost, isRenewed: asked.isRenewed },
  };
  const html = shown.ok ? shown.value : messagePage(shown.failure, request.id, nonce, known);
  const isForm = form !== null && (form.embed.viewer === 'signed' || fields.length > 0);
  return sendPage(parts, request, reply, { nonce, html, isForm, framedBy: embed?.chart.frameAncestors ?? '' });
}

/** Problems of what the viewer sent or may choose. The values of the embed are not for viewers. */
function viewerProblems(
  failure: Failure,
  { embed, fields }: Pick<Viewed<unknown>, 'embed' | 'fields'>,
  sent: readonly SentParameter[],
): readonly FieldProblem[] {
  if (!('problems' in failure)) return [];
  if (embed === null) return failure.problems.filter(({ field }) => field === 'viewer');
  const taken = takeOpen(embed.open, sent, 'embed');
  if (!taken.ok) return failure.problems;
  const own = new Set(taken.value.map(({ ParameterName }) => ParameterName));
  const ofEmbed = new Set(fields.flatMap(({ name }) => (own.has(name) ? [] : name)));
  return failure.problems
    .filter(({ field }) => embed.open.includes(field))
    .map((problem) => (ofEmbed.has(problem.field) ? { ...problem, message: CHOOSE_VALUE } : problem));
}

async function renderImage(
  parts: EmbedRouteParts,
  messagePicture: ReturnType<typeof createMessagePictures>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const format = readFormat(request);
  if (!format.ok) return sendFailure(request, reply, format.failure);
  const asked = readViewRequest(request);
  const view = { ...viewOf(request, 'embed.image'), hasFields: false, sent: asked.sent };
  const { shown: image, ...viewed } = await parts.viewEmbed(byToken(asked, request, reply), view, async (chart) => {
    noteVersion(reply, chart.ran);
    const theme = themeOf(chart);
    const drawn = format.value === 'png' ? await chart.png(theme) : { svg: await chart.svg(theme), png: null };
    parts.pictures.keep(chart, drawn.svg);
    return { format: format.value, body: drawn.png ?? drawn.svg };
  });
  if (!image.ok) startFailure(request, reply, image.failure);
  if (!image.ok && isOpenedAsPage(request)) {
    const nonce = randomBytes(16).toString('base64url');
    return sendPage(parts, request, reply, { nonce, html: messagePage(image.failure, request.id, nonce) });
  }
  const picture = image.ok
    ? image.value
    : await messagePicture(image.failure, format.value, viewerProblems(image.failure, viewed, asked.sent));
  return reply
    .header('Cache-Control', 'no-store')
    .header('Cross-Origin-Resource-Policy', 'cross-origin')
    .header('Content-Security-Policy', "default-src 'none'; sandbox")
    .type(picture.format === 'png' ? 'image/png' : 'image/svg+xml; charset=utf-8')
    .send(picture.body);
}

/** A preview in the web interface is not a view. */
const viewOf = (request: FastifyRequest, action: string) => ({
  action,
  counts: queryValue(request.query, 'preview') !== 'true',
});

interface ViewRequest {
  readonly token: string;
  readonly viewer: string | null;
  readonly sent: readonly SentParameter[];
  readonly isPost: boolean;
  readonly isRenewed: boolean;
}

/**
 * What a viewer sends: in the address, or in the body of a form, which keeps the token of a viewer out of the address. An empty field is not
 * sent.
 */
function readViewRequest(request: FastifyRequest): ViewRequest {
  const isPost = request.method === 'POST';
  const body = isPost ? readFormBody(request) : {};
  const query = isObject(request.query) ? request.query : {};
  const viewer = queryValue(body, 'viewer') ?? queryValue(query, 'viewer') ?? '';
  const values = Object.entries({ ...query, ...body }).filter(([name, value]) => name.startsWith('@') && value !== '');
  return {
    token: String(queryValue(query, 'token') ?? ''),
    viewer: viewer === '' ? null : String(viewer),
    sent: values.map(([ParameterName, value]) => ({ ParameterName, Value: toSentValue(value) })),
    isPost,
    isRenewed: queryValue(body, 'renewed') !== undefined,
  };
}

const toSentValue = (value: unknown): string | readonly string[] =>
  Array.isArray(value) ? value.map(String).filter((each) => each !== '') : String(value);

/** Only the tokens authenticate; cookies and headers are ignored. */
function byToken({ token, viewer }: ViewRequest, request: FastifyRequest, reply: FastifyReply): Call {
  return callWith(token === '' ? { kind: 'none' } : { kind: 'embed', token, viewer }, request, reply, 'embed');
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

/** Browsers on phones send `Mobi`. In other browsers, a narrow frame scales the wide picture down until the script has drawn the chart. */
const sizeFor = ({ headers }: FastifyRequest): PictureSize => (/\bMobi/i.test(headers['user-agent'] ?? '') ? 'narrow' : 'wide');

function sendPage(
  { frameAncestors }: EmbedRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { nonce, html, isForm = false, framedBy = '' }: { nonce: string; html: string; isForm?: boolean; framedBy?: string },
): FastifyReply {
  const coding = contentCodingOf(request.headers['accept-encoding']);
  if (coding !== null) reply.header('Content-Encoding', coding);
  return reply
    .header('Cache-Control', 'no-store')
    .header(
      'Content-Security-Policy',
      policy(nonce, frameAncestors, isForm) + (framedBy === '' ? '' : `, frame-ancestors ${framedBy}`),
    ) // both hold
    .header('Cross-Origin-Resource-Policy', 'cross-origin')
    .header('Vary', 'Accept-Encoding')
    .type('text/html; charset=utf-8')
    .send(coding === null ? html : bodyStream(Readable.from([Buffer.from(html)]), coding));
}

/** The sandbox gives the page an opaque origin: injected script could reach neither cookies nor the API. */
const policy = (nonce: string, frameAncestors: string, isForm: boolean): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    'img-src data: blob:',
    "connect-src 'none'",
    "base-uri 'none'",
    `form-action ${isForm ? "'self'" : "'none'"}`,
    `frame-ancestors ${frameAncestors}`,
    `sandbox ${sandboxOf(isForm)}`,
  ].join('; ');
