const MARK = 'sluice-reloaded-at';
const AGAIN_AFTER_MS = 10_000;

/** A tab that was open during an upgrade asks for a page whose file is gone: the new index.html knows the new one. */
export function reloadWhenReplaced(): void {
  window.addEventListener('vite:preloadError', (event) => {
    const last = Number(sessionStorage.getItem(MARK) ?? 0);
    if (Date.now() - last < AGAIN_AFTER_MS) return; // it is missing for another reason: the error page says so
    sessionStorage.setItem(MARK, String(Date.now()));
    event.preventDefault();
    window.location.reload();
  });
}
