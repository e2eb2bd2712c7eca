import { type RefObject, useEffect, useState } from 'react';

/** On which sides of a box there is more to scroll to: '', 'before', 'after' or both words. */
export function useScrollEdges(box: RefObject<HTMLElement | null>): string {
  const [more, setMore] = useState('');
  useEffect(() => {
    const { current: element } = box;
    if (element === null) return;
    const look = () => setMore(edgesOf(element));
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    for (const child of element.children) sizes.observe(child);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [box]);
  return more;
}

// at most zoom levels the end is reached but for a fraction of a pixel
const SLACK = 2;

function edgesOf({ scrollLeft, clientWidth, scrollWidth }: HTMLElement): string {
  const before = scrollLeft > SLACK ? ['before'] : [];
  const after = scrollLeft + clientWidth < scrollWidth - SLACK ? ['after'] : [];
  return [...before, ...after].join(' ');
}
