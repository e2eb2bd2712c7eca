import { type RefObject, useEffect, useState } from 'react';

const CALM_MS = 700;
const WHOLE = 0.9; // fractions of pixels can be clipped

/**
 * Whether the element has been on the screen for a moment, and the window has been in front and kept its size since. A page that
 * brings this one under the pointer must not get the second click of a double-click, or a click into a window that is too small to show
 * the question.
 */
export function useCalmWindow(element: RefObject<HTMLElement | null>): boolean {
  const [isCalm, setCalm] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isInView = false;
    let wasSeen = false; // afterwards, people scroll to the button
    const restart = () => {
      clearTimeout(timer);
      setCalm(false);
      if (!isInView && !wasSeen) return;
      timer = setTimeout(() => {
        wasSeen = true;
        setCalm(true);
      }, CALM_MS);
    };
    const observer = new IntersectionObserver(
      (entries) => {
        isInView = (entries.at(-1)?.intersectionRatio ?? 0) >= WHOLE;
        if (!wasSeen) restart();
      },
      { threshold: WHOLE },
    );
    if (element.current !== null) observer.observe(element.current);
    window.addEventListener('focus', restart);
    window.addEventListener('resize', restart);
    document.addEventListener('visibilitychange', restart);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      window.removeEventListener('focus', restart);
      window.removeEventListener('resize', restart);
      document.removeEventListener('visibilitychange', restart);
    };
  }, [element]);
  return isCalm;
}
