import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { ChartPanelProps } from './chart-panel.tsx';

const load = () => import('./chart-panel.tsx');
const Panel = lazy(async () => ({ default: (await load()).ChartPanel }));

/** A chart whose code is loaded on first use. */
export function LazyChart(props: ChartPanelProps) {
  return (
    <Suspense fallback={<Skeleton height={props.config.chartHeight} radius="sm" role="status" aria-label="Loading the chart" />}>
      <Panel {...props} />
    </Suspense>
  );
}

/** Call it where a chart is likely to follow. */
export const preloadChart = (): void => void load().catch(() => {}); // loaded again when the chart is shown
