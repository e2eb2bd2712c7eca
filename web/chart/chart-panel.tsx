import './chart-panel.css';
import { Box, Button, useComputedColorScheme } from '@mantine/core';
import { useEffect, useId, useRef, useState } from 'react';
import { tooltipCss } from '../../src/charts/option/tooltip.ts';
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
  /** Draws the smaller labels, too, if they are combined as one. */
  readonly onShowAll?: () => void;
}

const none: readonly string[] = [];

/** A chart with its tools, notes and data. Load it through LazyChart, because it imports ECharts. */
export function ChartPanel({ columns, data, config, more = none, withTable = false, onShowAll }: ChartPanelProps) {
  const id = useId();
  const live = useRef<HTMLDivElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const chart = useRef<InteractiveChart>(null);
  const onScreen = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const isPrinting = useIsPrinting();
  const scheme = isPrinting ? 'light' : onScreen;
  const theme = useRef(scheme);
  const [notes, setNotes] = useState<readonly string[]>([]);
  const others = data.others?.label;
  const showAll = useRef(onShowAll);
  showAll.current = onShowAll;

  useEffect(() => {
    theme.current = scheme;
    chart.current?.redraw();
  }, [scheme, isPrinting]);

  useEffect(() => {
    if (live.current === null) return;
    const mounted = mountChart(
      live.current,
      { columns, data, config },
      {
        theme: () => theme.current,
        animates: () => !matchMedia('(prefers-reduced-motion: reduce)').matches,
        onDrawn: (built) => setNotes(built.notes),
        more,
        onLabel: (label) => label === others && showAll.current?.(),
      },
    );
    const gone = new AbortController();
    connectTools(mounted, live.current, bar.current, config.enableZoom, config.title, gone.signal);
    chart.current = mounted;
    return () => {
      gone.abort();
      mounted.dispose();
      chart.current = null;
    };
  }, [columns, data, config, more, others]);

  const noteText = [...notes, ...more].join(' ');
  return (
    <>
      <style href="chart-tip" precedence="default">
        {tooltipCss}
      </style>
      <figure className="chart-figure">
        {config.showToolbar && <ChartToolbar ref={bar} controls={id} zooms={config.enableZoom} />}
        <Box className="chart-live" ref={live} id={id} style={{ height: config.chartHeight }} tabIndex={0} role="img" />
      </figure>
      {noteText !== '' && (
        <p className="chart-notes" dir="auto">
          {noteText}
        </p>
      )}
      {data.others !== null && onShowAll !== undefined && (
        <Button variant="subtle" size="xs" mx="sm" mb="xs" onClick={onShowAll}>
          Show all labels
        </Button>
      )}
      <ChartTable columns={columns} rows={data.rows} config={config} isShown={withTable} />
    </>
  );
}
