import { hash } from 'node:crypto';
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';

const style =
  ':root{color-scheme:light dark}body{max-width:34rem;margin:20vh auto 0;padding:0 1.5rem;font:15px/1.5 Inter,system-ui,sans-serif}' +
  'h1{font-size:1.4rem;line-height:1.3}code{overflow-wrap:anywhere}';

/** The page has no scripts and loads nothing. */
export const errorPagePolicy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; frame-ancestors 'none'`;

/** For a person whose browser cannot be sent back to the application. */
export function renderError(ctx: KoaContextWithOIDC, { error, error_description: description = '' }: ErrorOut): void {
  const text = `${error}: ${description}`.replace(/[<>&"']/g, (each) => `&#${each.charCodeAt(0)};`);
  ctx.type = 'html';
  ctx.body = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Not connected · Sluice</title><style>${style}</style><h1>The application cannot be connected</h1>
<p>Its request is not valid. Go back to the application and connect again. If the problem remains, report this error to its developer:</p>
<p><code>${text}</code></p></html>`;
}
