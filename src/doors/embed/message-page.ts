import { chartFont, themeOf } from '../../charts/option/theme.ts';
import { escapeHtml } from '../../charts/option/tooltip.ts';
import { textLines } from '../../charts/text-width.ts';
import { chartConfigDefaults, type ChartTheme } from '../../core/chart-config.ts';
import { definedFields } from '../../core/defined-fields.ts';
import { type Failure, type FieldProblem, isCredentialFailure } from '../../core/errors.ts';
import { CHOOSE_VALUE } from '../../pipeline/use-cases/open-fields.ts';
import { htmlPage, messageStyle, scriptTag, waitingText } from './embed-page.ts';
import { viewForm, type ViewFormParts, viewFormStyle } from './view-form.ts';

/** What was viewed, as far as it is known. */
export interface MessageParts {
  readonly theme: ChartTheme;
  readonly problems: readonly FieldProblem[]; // of what the viewer sent
  readonly form: ViewFormParts | null; // to try again
  readonly isRenewed: boolean; // with a token that the embedding page sent on request
  readonly isPost: boolean;
  readonly script: string | null; // its URL
}

const nothingKnown: MessageParts = { theme: 'auto', problems: [], form: null, isRenewed: false, isPost: false, script: null };

/** Shown instead of the chart: the problem in words for a viewer of the page. Where trying again may help, the page reloads itself. */
export function messagePage(failure: Failure, requestId: string, nonce: string, parts = nothingKnown): string {
  const { theme, problems, isRenewed, isPost, script } = parts;
  const message = messageOf(failure, problems);
  const { head, sentence } = message;
  const retry = message === waiting ? secondsOf(failure) : message === later ? LATER_SECONDS : undefined;
  const ask = !isRenewed && isCredentialFailure(failure) && failure.of === 'viewer' && mayAsk.has(failure.kind);
  const wrong = problems.map(({ field }) => field);
  const form = viewForm(parts.form, { ask, wrong, ...definedFields({ retry }) });
  const labelOf = (name: string): string => parts.form?.fields.find((field) => field.name === name)?.label ?? name;
  const details = problems.map((each) => `${labelOf(each.field)}: ${each.message}`).join(' ') || sentence;
  const body =
    message === waiting
      ? waitingBody
      : `<main>
<h1>${escapeHtml(head)}</h1>
<p dir="auto">${escapeHtml(details)}</p>
<small>${escapeHtml([...reasonsFor(failure), `Request ${requestId}`].join(' '))}</small>
</main>`;
  const isScripted = form !== '' && script !== null;
  // a request by POST cannot be repeated by the address
  const reload = retry === undefined || (isScripted && isPost) ? '' : reloadAfter(retry);
  return htmlPage(
    theme,
    message === waiting ? 'Chart' : escapeHtml(head),
    nonce,
    messageStyle + (form === '' ? '' : viewFormStyle),
    form + body + (isScripted ? scriptTag(script, nonce) : ''),
    isScripted && reload !== '' ? `<noscript>${reload}</noscript>` : reload,
  );
}

/** For the developer who embeds the chart: what is wrong with the token. The viewer can read its content anyway. */
function reasonsFor(failure: Failure): readonly string[] {
  if (isCredentialFailure(failure)) return failure.reason === undefined ? [] : [failure.reason];
  return lacksAttribute(failure) ? [`${failure.source} is missing or does not fit.`] : [];
}

const mayAsk: ReadonlySet<Failure['kind']> = new Set(['CredentialMissing', 'CredentialExpired']);

const LATER_SECONDS = 15;
const secondsOf = (failure: Failure): number => ('retryAfterSeconds' in failure ? failure.retryAfterSeconds : 1);

/** Works without scripts. The delay is random, so that the charts of a page do not all reload at once. */
const reloadAfter = (seconds: number): string =>
  `<meta http-equiv="refresh" content="${seconds + Math.floor(Math.random() * Math.max(3, seconds / 2))}">`;

const waitingBody = `<main role="status">${waitingText}</main>`;

interface Message {
  readonly head: string;
  readonly sentence: string;
}

function messageOf(failure: Failure, problems: readonly FieldProblem[] = []): Message {
  if (failure.kind === 'ChartTooLarge') return { head: 'Chart too large', sentence: failure.reason };
  if (problems.length > 0) return problems.every(({ message }) => message === CHOOSE_VALUE) ? valuesNeeded : wrongValues;
  if (isCredentialFailure(failure) && failure.of === 'viewer') return viewerMessages[failure.kind];
  if (lacksAttribute(failure)) return viewerLacksAttribute;
  return messages[failure.kind] ?? notDrawn;
}

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
  sentence: 'The chart cannot be drawn at the moment. The page tries again in a few seconds.',
};
const wrongValues: Message = {
  head: 'No chart for these values',
  sentence: 'The address has values that this chart does not accept.',
};
const valuesNeeded: Message = {
  head: 'Choose what to show',
  sentence: 'The chart needs values that are missing in its address.',
};
const reloadPage = 'Reload the page. If the problem remains, contact its owner.';
const viewerMessages = {
  CredentialMissing: { head: 'Viewer unknown', sentence: `The chart has no token for its viewer yet. ${reloadPage}` },
  CredentialExpired: { head: 'View expired', sentence: `The token for the viewer of the chart has expired. ${reloadPage}` },
  CredentialInvalid: {
    head: 'Viewer not accepted',
    sentence: `The token for the viewer of the chart is not valid. ${reloadPage}`,
  },
  CredentialRevoked: {
    head: 'Viewer not accepted',
    sentence: 'You no longer have access to this chart. Ask the owner of this page.',
  },
} as const;
type AttributeFailure = Extract<Failure, { kind: 'CallerAttributeMissing' | 'CallerAttributeAmbiguous' }>;

const lacksAttribute = (failure: Failure): failure is AttributeFailure =>
  (failure.kind === 'CallerAttributeMissing' || failure.kind === 'CallerAttributeAmbiguous') && failure.of === 'viewer';

const viewerLacksAttribute: Message = {
  head: 'Viewer not known well enough',
  sentence: 'The chart needs something about its viewer that this page does not say. Tell the owner of this page.',
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
  ...{ StateConflict: outOfDate, FieldInvalid: outOfDate, VersionUnknown: outOfDate, VersionRetired: outOfDate },
  ...{ ParameterUnknown: outOfDate, ParameterBound: outOfDate, ParameterInvalid: outOfDate },
  ...{ Overloaded: waiting, UserBusy: waiting, RateExceeded: waiting, KeyBusy: waiting, ResponsesUnread: waiting },
  ...{ DatabaseUnavailable: later, StoreUnavailable: later, ShuttingDown: later, RowsExceeded: later },
};

export type PictureFormat = 'svg' | 'png';

/**
 * A picture of the error message, because an <img> shows nothing else. The messages are few and each is rasterized once, so
 * requests with invalid tokens cost nothing.
 */
export function createMessagePictures(toPng: (svg: string) => Promise<Buffer>) {
  const made = new Map<string, Promise<Buffer>>();
  const rasterize = (svg: string): Promise<Buffer> => {
    const known = made.get(svg);
    if (known !== undefined) return known;
    const making = toPng(svg);
    made.set(svg, making);
    making.catch(() => made.delete(svg));
    return making;
  };
  return async (failure: Failure, format: PictureFormat, problems: readonly FieldProblem[] = []) => {
    const svg = messageSvg(messageOf(failure, problems));
    const vectors = { format: 'svg', body: svg } as const;
    if (format === 'svg') return vectors;
    // rasterizing may fail for the same reason as the chart; browsers accept SVG regardless of the format in the URL
    return rasterize(svg).then(
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
