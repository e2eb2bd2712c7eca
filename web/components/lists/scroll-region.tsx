import { Box } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import styles from './scroll-region.module.css';
import { useScrollEdges } from './use-scroll-edges.ts';

export interface ScrollRegionProps {
  readonly label: string;
  readonly minWidth: number; // below this width, the content scrolls horizontally
  readonly children: ReactNode;
}

/** A horizontally scrollable region, usable by keyboard. */
export function ScrollRegion({ label, minWidth, children }: ScrollRegionProps) {
  const box = useRef<HTMLDivElement>(null);
  const more = useScrollEdges(box);
  return (
    // a tab stop only if there is something to scroll
    <Box ref={box} className={styles.scroll} role="region" aria-label={label} {...(more === '' ? {} : { tabIndex: 0 })}>
      <div style={{ minWidth }}>{children}</div>
    </Box>
  );
}
