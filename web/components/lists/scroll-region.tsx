import { Box } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import styles from './scroll-region.module.css';
import { useScrollEdges } from './use-scroll-edges.ts';

export interface ScrollRegionProps {
  readonly label: string;
  readonly minWidth: number; // narrower than this it scrolls sideways
  readonly children: ReactNode;
}

/** What is wider than its place: it scrolls, shows that there is more, and can be scrolled by keyboard. */
export function ScrollRegion({ label, minWidth, children }: ScrollRegionProps) {
  const box = useRef<HTMLDivElement>(null);
  const more = useScrollEdges(box);
  return (
    <div className={styles.frame} data-more={more}>
      {/* one stop of the Tab key more, only where there is something to scroll */}
      <Box ref={box} className={styles.scroll} role="region" aria-label={label} {...(more === '' ? {} : { tabIndex: 0 })}>
        <div style={{ minWidth }}>{children}</div>
      </Box>
    </div>
  );
}
