import { hash } from 'node:crypto';
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import { failureTable } from '../../core/errors.ts';

const STATUS = failureTable.FieldInvalid.status;

const style =
  ':root{color-scheme:light dark}body{max-width:34rem;margin:20vh auto 0;padding:0 1.5rem;font:15px/1.5 Inter,system-ui,sans-serif}' +
  'h1{font-size:1.4rem;line-height:1.3}code{overflow-wrap:anywhere}';

/** The page has no scripts and loads nothing. */
export const errorPagePolicy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; frame-ancestors 'none'`;

const tryAgain = 'Go back to the application and connect again.';
const explanations: Readonly<Record<string, string>> = {
  invalid_client:
    'This Sluice does not know the application, or does not take applications of its host. Remove the connection in the application and add it again. If that does not help, ask your administrator, who can register the application.',
  invalid_client_metadata:
    'The description that the application publishes of itself is not valid, or names hosts that this Sluice does not take. Ask your administrator, who can register the application.',
  invalid_redirect_uri:
    'The application wants to send you to an address that does not belong to it. You were not sent there. If you came here by a link that somebody gave you, do not use it.',
  server_error: `Something went wrong in Sluice. ${tryAgain} If the problem remains, ask your administrator.`,
};
const invalid = `The request of the application is not valid, or it took too long. ${tryAgain}`;

/** Explains an error to the user when the browser cannot be redirected to the application. */
export function renderError(ctx: KoaContextWithOIDC, { error, error_description: description = '' }: ErrorOut): void {
  const text = escapeText(`${error}: ${description}`);
  const requestId = escapeText(String(ctx.res.getHeader('x-request-id') ?? ''));
  if (ctx.status < STATUS) ctx.status = STATUS; // errors that are usually sent by redirect have no error status
  ctx.type = 'html';
  ctx.body = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Not connected · Sluice</title><style>${style}</style><h1>The application cannot be connected</h1>
<p>${explanations[error] ?? invalid}</p>
<p>For its developer and your administrator: <code>${text}</code>, request id <code>${requestId}</code>.</p></html>`;
}

const escapeText = (text: string): string => text.replace(/[<>&"']/g, (each) => `&#${each.charCodeAt(0)};`);
