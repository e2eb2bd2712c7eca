/** Copies a text; false if the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // refused: execCommand may still be allowed
    }
  }
  return copyThroughField(text);
}

/** For plain http, where the Clipboard API is not available: copies from a hidden field. */
function copyThroughField(text: string): boolean {
  const opener = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.setAttribute('readonly', '');
  field.style.position = 'fixed';
  field.style.opacity = '0';
  // an open dialog traps the focus, so the field must be inside it
  (document.querySelector('[role="dialog"]') ?? document.body).append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  if (opener instanceof HTMLElement) opener.focus();
  return done;
}
