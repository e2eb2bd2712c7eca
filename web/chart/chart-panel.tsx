import './chart-panel.css';
import { Box, useComputedColorScheme } from '@mantine/core';
import { useEffect, useId, useRef, useState } from 'react';
import { tooltipCss } from '../../src/charts/option/tooltip.ts';
import { zooms } from '../../src/core/chart-config.ts';
import { useIsPrinting } from '../components/use-is-printing.ts';
import { ChartTable } from './chart-table.tsx';
import { ChartToolbar } from './chart-toolbar.tsx';
import { connectTools } from './connect-tools.ts';
import { type ChartContent, type InteractiveChart, mountChart } from './interactive-chart.ts';

export interface ChartPanelProps extends ChartContent {
  /** Further notes below the chart. */
  readonly more?: readonly string[];
  /** Shows the data as a table; otherwise only screen readers find it. */
  readonly withTable?: boolean;
}

const none: readonly string[] = [];

/** A chart with its tools, notes and data. Load it through LazyChart, because it imports ECharts. */
export function ChartPanel({ columns, rows, config, more = none, withTable = false }: ChartPanelProps) {
  const id = useId();
  const live = useRef<HTMLDivElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const chart = useRef<InteractiveChart>(null);
  const onScreen = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const isPrinting = useIsPrinting();
  const scheme = isPrinting ? 'light' : onScreen;
  const theme = useRef(scheme);
  const [notes, setNotes] = useState<readonly string[]>([]);

  useEffect(() => {
    theme.current = scheme;
    chart.current?.redraw();
  }, [scheme, isPrinting]);

  useEffect(() => {
    if (live.current === null) return;
    const mounted = mountChart(
      live.current,
      { columns, rows, config },
      {
        theme: () => theme.current,
        animates: () => !matchMedia('(prefers-reduced-motion: reduce)').matches,
        onDrawn: (built) => setNotes(built.notes),
        more,
      },
    );
    const gone = new AbortController();
    connectTools(mounted, live.current, bar.current, zooms(config), config.title, gone.signal);
    chart.current = mounted;
    return () => {
      gone.abort();
      mounted.dispose();
      chart.current = null;
    };
  }, [columns, rows, config, more]);

  const noteText = [...notes, ...more].join(' ');
  return (
    <>
      <style href="chart-tip" precedence="default">
        {tooltipCss}
      </style>
      <figure className="chart-figure">
        {config.showToolbar && <ChartToolbar ref={bar} controls={id} zooms={zooms(config)} />}
        <Box className="chart-live" ref={live} id={id} style={{ height: config.chartHeight }} tabIndex={0} role="img" />
      </figure>
      {noteText !== '' && (
        <p className="chart-notes" dir="auto">
          {noteText}
        </p>
      )}
      <ChartTable columns={columns} rows={rows} config={config} isShown={withTable} />
    </>
  );
}
