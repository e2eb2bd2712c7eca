import { type RefObject, useEffect, useState } from 'react';

/** The sides to which a box can scroll: '', 'before', 'after' or 'before after'. */
export function useScrollEdges(box: RefObject<HTMLElement | null>): string {
  const [more, setMore] = useState('');
  useEffect(() => {
    const { current: element } = box;
    if (element === null) return;
    const update = () => setMore(edgesOf(element));
    const sizes = new ResizeObserver(update);
    sizes.observe(element);
    for (const child of element.children) sizes.observe(child);
    element.addEventListener('scroll', update, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', update);
    };
  }, [box]);
  return more;
}

// at most zoom levels, the end is a fraction of a pixel away
const SLACK = 2;

function edgesOf({ scrollLeft, clientWidth, scrollWidth }: HTMLElement): string {
  const before = scrollLeft > SLACK ? ['before'] : [];
  const after = scrollLeft + clientWidth < scrollWidth - SLACK ? ['after'] : [];
  return [...before, ...after].join(' ');
}
