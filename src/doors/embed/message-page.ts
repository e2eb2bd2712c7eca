import { escapeHtml } from '../../charts/option/tooltip.ts';
import type { Failure } from '../../core/errors.ts';
import { htmlPage, messageStyle } from './embed-style.ts';

/** Shown instead of the chart: the problem in words for a viewer of the page. */
export function messagePage(failure: Failure, requestId: string, nonce: string): string {
  const { head, sentence } = messageOf(failure);
  const body = `<main>
<h1>${escapeHtml(head)}</h1>
<p>${escapeHtml(sentence)}</p>
<small>Request ${escapeHtml(requestId)}</small>
</main>`;
  return htmlPage('auto', escapeHtml(head), nonce, messageStyle, body);
}

export function messageOf(failure: Failure): { readonly head: string; readonly sentence: string } {
  const askOwner = 'Ask the owner of this page for a new link.';
  switch (failure.kind) {
    case 'CredentialMissing':
      return { head: 'No chart', sentence: `The link has no token. ${askOwner}` };
    case 'CredentialInvalid':
      return { head: 'Link not valid', sentence: `The link is incomplete or was altered. ${askOwner}` };
    case 'CredentialRevoked':
      return { head: 'Link no longer valid', sentence: `The link was replaced or revoked. ${askOwner}` };
    case 'CredentialExpired':
      return { head: 'Link expired', sentence: `This link has expired. ${askOwner}` };
    case 'QueryNotAccessible':
    case 'CallerAttributeMissing':
    case 'CallerAttributeAmbiguous':
    case 'PermissionDenied':
      return {
        head: 'Chart not available',
        sentence: 'The query behind this chart is not active, or its owner may no longer show it.',
      };
    case 'StateConflict':
    case 'FieldInvalid':
    case 'ParameterUnknown':
    case 'ParameterBound':
    case 'ParameterInvalid':
      return {
        head: 'Chart out of date',
        sentence: `The query behind this chart has changed, and the chart no longer matches it. ${askOwner}`,
      };
    case 'ChartTooLarge':
      return { head: 'Chart too large', sentence: failure.reason };
    case 'QueryTimedOut':
      return { head: 'Too slow', sentence: 'The data of this chart took too long to load. Try again later.' };
    case 'Overloaded':
    case 'UserBusy':
    case 'RateExceeded':
    case 'KeyBusy':
    case 'RowsExceeded':
    case 'DatabaseUnavailable':
    case 'StoreUnavailable':
    case 'ShuttingDown':
      return { head: 'Not at the moment', sentence: 'The chart cannot be drawn at the moment. Try again later.' };
    default:
      return {
        head: 'Chart not drawn',
        sentence: 'Something went wrong while this chart was drawn. The cause is in the log of the service.',
      };
  }
}
