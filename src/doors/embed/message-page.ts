import { chartFont, themeOf } from '../../charts/option/theme.ts';
import { escapeHtml } from '../../charts/option/tooltip.ts';
import { textLines } from '../../charts/text-width.ts';
import { chartConfigDefaults } from '../../core/chart-config.ts';
import type { Failure } from '../../core/errors.ts';
import { htmlPage, messageStyle, waitingText } from './embed-page.ts';

/** Shown instead of the chart: the problem in words for a viewer of the page. Where trying again may help, the page reloads itself. */
export function messagePage(failure: Failure, requestId: string, nonce: string): string {
  const message = messageOf(failure);
  const { head, sentence } = message;
  if (message === waiting) return htmlPage('auto', 'Chart', nonce, messageStyle, waitingBody, reloadAfter(secondsOf(failure)));
  const body = `<main>
<h1>${escapeHtml(head)}</h1>
<p>${escapeHtml(sentence)}</p>
<small>Request ${escapeHtml(requestId)}</small>
</main>`;
  return htmlPage('auto', escapeHtml(head), nonce, messageStyle, body, message === later ? reloadAfter(LATER_SECONDS) : '');
}

const LATER_SECONDS = 15;
const secondsOf = (failure: Failure): number => ('retryAfterSeconds' in failure ? failure.retryAfterSeconds : 1);

/** Works without scripts. At random, because the charts of a page would otherwise all come back at once. */
const reloadAfter = (seconds: number): string =>
  `<meta http-equiv="refresh" content="${seconds + Math.floor(Math.random() * Math.max(3, seconds / 2))}">`;

const waitingBody = `<main role="status">${waitingText}</main>`;

interface Message {
  readonly head: string;
  readonly sentence: string;
}

const messageOf = (failure: Failure): Message =>
  failure.kind === 'ChartTooLarge' ? { head: 'Chart too large', sentence: failure.reason } : (messages[failure.kind] ?? notDrawn);

const askOwner = 'Ask the owner of this page for a new link.';
const notDrawn: Message = {
  head: 'Chart not drawn',
  sentence: 'Something went wrong while this chart was drawn. The cause is in the log of the service.',
};
const notAvailable: Message = {
  head: 'Chart not available',
  sentence: 'The query behind this chart is not active, or its owner may no longer show it.',
};
const outOfDate: Message = {
  head: 'Chart out of date',
  sentence: `The query behind this chart has changed, and the chart no longer matches it. ${askOwner}`,
};
const later: Message = {
  head: 'Chart temporarily unavailable',
  sentence: 'The chart cannot be drawn at the moment. It is tried again in a few seconds.',
};
const waiting: Message = { head: later.head, sentence: 'Other charts are being drawn. Try again in a few seconds.' };

const messages: Readonly<Partial<Record<Failure['kind'], Message>>> = {
  CredentialMissing: { head: 'No chart', sentence: `The link has no token. ${askOwner}` },
  CredentialInvalid: { head: 'Link not valid', sentence: `The link is incomplete or was altered. ${askOwner}` },
  CredentialRevoked: { head: 'Link no longer valid', sentence: `The link was replaced or revoked. ${askOwner}` },
  CredentialExpired: { head: 'Link expired', sentence: `This link has expired. ${askOwner}` },
  QueryTimedOut: { head: 'Too slow', sentence: 'The data of this chart took too long to load. Try again later.' },
  ...{ QueryNotAccessible: notAvailable, CallerAttributeMissing: notAvailable, CallerAttributeAmbiguous: notAvailable },
  PermissionDenied: notAvailable,
  ...{ StateConflict: outOfDate, FieldInvalid: outOfDate },
  ...{ ParameterUnknown: outOfDate, ParameterBound: outOfDate, ParameterInvalid: outOfDate },
  ...{ Overloaded: waiting, UserBusy: waiting, RateExceeded: waiting, KeyBusy: waiting, ResponsesUnread: waiting },
  ...{ DatabaseUnavailable: later, StoreUnavailable: later, ShuttingDown: later, RowsExceeded: later },
};

export type PictureFormat = 'svg' | 'png';

/**
 * A picture of the error message, because an <img> shows nothing else. The messages are few and each is rasterised once, so
 * requests with invalid tokens cost nothing.
 */
export function createMessagePictures(toPng: (svg: string) => Promise<Buffer>) {
  const made = new Map<string, Promise<Buffer>>();
  const pixels = (svg: string): Promise<Buffer> => {
    const known = made.get(svg);
    if (known !== undefined) return known;
    const making = toPng(svg);
    made.set(svg, making);
    making.catch(() => made.delete(svg));
    return making;
  };
  return async (failure: Failure, format: PictureFormat) => {
    const svg = messageSvg(messageOf(failure));
    const vectors = { format: 'svg', body: svg } as const;
    if (format === 'svg') return vectors;
    // rasterising may fail for the same reason as the chart; browsers accept SVG regardless of the format in the URL
    return pixels(svg).then(
      (body) => ({ format, body }),
      () => vectors,
    );
  };
}

/** The usual size of a chart, to fit the page. */
function messageSvg({ head, sentence }: Message): string {
  const { background, text, muted } = themeOf({ width, theme: 'light' });
  const lines = textLines(sentence, width * 0.6, 14);
  const top = (height - (lines.length + 1) * lineHeight) / 2 + 14;
  const line = (words: string, index: number, look: string): string =>
    `<text x="${width / 2}" y="${top + index * lineHeight}" text-anchor="middle" font-family="${chartFont}" ${look}>${escapeHtml(words)}</text>`;
  return [
    `<svg role="img" aria-label="${escapeHtml(`${head}. ${sentence}`)}" width="${width}" height="${height}" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">`,
    `<rect width="${width}" height="${height}" fill="${background}"/>`,
    line(head, 0, `font-size="17px" font-weight="600" fill="${text}"`),
    ...lines.map((words, index) => line(words, index + 1.1, `font-size="14px" fill="${muted}"`)),
    '</svg>\n',
  ].join('\n');
}

const width = 960;
const height = chartConfigDefaults.chartHeight;
const lineHeight = 24;
