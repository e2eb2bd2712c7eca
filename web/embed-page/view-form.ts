const REQUEST = { type: 'sluice:viewer-token-needed' };
const RESPONSE_TYPE = 'sluice:viewer-token';

/**
 * The form of src/doors/embed/view-form.ts. In an embed whose viewers have tokens: takes the token out of the address, and asks the embedding
 * page for another one when it ends, or when the page was loaded without a valid one.
 */
export function connectViewForm(): void {
  const form = document.getElementById('view');
  const token = document.querySelector<HTMLInputElement>('#view input[name=viewer]');
  if (!(form instanceof HTMLFormElement)) return;
  for (const select of form.querySelectorAll<HTMLSelectElement>('select[data-about]:not([multiple])'))
    select.addEventListener('change', () => setTitle(select));
  if (token === null) return;
  const { ask, seconds, retry } = form.dataset;
  replaceAddress(form);
  // only the embedding page says who views: neither its other frames nor the page that opened this window
  addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
    const sent = source === parent && parent !== window ? tokenIn(data) : null;
    if (sent === null) return;
    token.value = sent;
    if (ask !== undefined) sendRenewed(form);
    else askAfter(lifetimeOf(sent));
  });
  if (ask !== undefined) askAfter(0);
  if (seconds !== undefined) askAfter(Number(seconds));
  if (retry !== undefined) setTimeout(() => form.submit(), Number(retry) * 1000 * (1 + Math.random()));
}

/** As the server writes it: the option, of which the page may show only the start, and the description. */
function setTitle(select: HTMLSelectElement): void {
  const texts = [select.value === '' ? '' : select.selectedOptions[0]?.text, select.dataset.about];
  select.title = texts.filter((text) => text).join('\n');
}

/** The values as `@Name=`, and never the token. */
function replaceAddress(form: HTMLFormElement): void {
  const address = new URL(location.href);
  for (const name of [...address.searchParams.keys()])
    if (name.toLowerCase() === 'viewer' || name.startsWith('@')) address.searchParams.delete(name);
  for (const [name, value] of new FormData(form))
    if (name.startsWith('@') && typeof value === 'string' && value !== '' && !isSecret(form, name))
      address.searchParams.append(name, value);
  try {
    history.replaceState(null, '', address);
  } catch {
    // a browser may not allow it to a sandboxed page; the token ends within the hour
  }
}

const isSecret = (form: HTMLFormElement, name: string): boolean =>
  [...form.querySelectorAll<HTMLInputElement>('input[type=password]')].some((input) => input.name === name);

function tokenIn(data: unknown): string | null {
  if (typeof data !== 'object' || data === null || !('type' in data) || !('token' in data)) return null;
  return data.type === RESPONSE_TYPE && typeof data.token === 'string' ? data.token : null;
}

/** Marks the request as a renewal: the page does not ask again if this token is not valid either. */
function sendRenewed(form: HTMLFormElement): void {
  const mark = document.createElement('input');
  Object.assign(mark, { type: 'hidden', name: 'renewed', value: 'true' });
  form.append(mark);
  form.submit();
}

let waiting = 0;

function askAfter(seconds: number | null): void {
  clearTimeout(waiting);
  // the message has no content that others may not know
  if (seconds !== null) waiting = window.setTimeout(() => parent !== window && parent.postMessage(REQUEST, '*'), seconds * 1000);
}

/** Seconds; the clocks of the viewer and of the application may differ. */
function lifetimeOf(token: string): number | null {
  try {
    const { iat, exp } = JSON.parse(atob(token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? ''));
    return exp > iat ? exp - iat : null;
  } catch {
    return null;
  }
}
