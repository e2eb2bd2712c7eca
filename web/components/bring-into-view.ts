/** Scrolls to what was made by a button above it, unless its beginning is in sight already. */
export function bringIntoView(element: Element | null): void {
  if (element === null) return;
  const { top } = element.getBoundingClientRect();
  if (top >= 0 && top < window.innerHeight / 2) return;
  const isCalm = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  element.scrollIntoView({ block: 'start', behavior: isCalm ? 'auto' : 'smooth' });
}
