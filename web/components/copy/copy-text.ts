/** Copies a text; false where the browser lets nobody do that. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // refused: the old way may still be allowed
    }
  }
  return copyThroughField(text);
}

/** The clipboard interface is there only on https and on this machine; elsewhere a hidden field does it. */
function copyThroughField(text: string): boolean {
  const opener = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.setAttribute('readonly', '');
  field.style.position = 'fixed';
  field.style.opacity = '0';
  // inside an open dialog the focus could not leave it
  (document.querySelector('[role="dialog"]') ?? document.body).append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  if (opener instanceof HTMLElement) opener.focus();
  return done;
}
