import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { ChartPanelProps } from './chart-panel.tsx';

const load = () => import('./chart-panel.tsx');
const Panel = lazy(async () => ({ default: (await load()).ChartPanel }));

/** A chart; its code comes when one is first shown. */
export function LazyChart(props: ChartPanelProps) {
  return (
    <Suspense fallback={<Skeleton height={props.config.chartHeight} radius="sm" role="status" aria-label="Loading the chart" />}>
      <Panel {...props} />
    </Suspense>
  );
}

/** Called where a chart is likely to come next. */
export const preloadChart = (): void => void load().catch(() => {}); // asked for again when it is shown
