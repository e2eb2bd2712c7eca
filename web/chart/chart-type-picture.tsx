import type { ChartType } from '../../src/core/chart-config.ts';

/** A small drawing of each type, on a canvas of 24 by 24. */
const paths: Readonly<Record<ChartType, string>> = {
  bar: 'M4 20v-7h4v7zM10 20v-15h4v15zM16 20v-10h4v10z',
  line: 'M3 17l6-7 4 4 8-9',
  area: 'M3 20v-5l6-6 4 4 8-8v15z',
  scatter: 'M5 17h.01M8 12h.01M11 15h.01M13 9h.01M16 11h.01M19 5h.01',
  pie: 'M12 3a9 9 0 1 0 9 9h-9zM15 3.5v5.5h5.5a9 9 0 0 0-5.5-5.5z',
  donut: 'M12 3a9 9 0 1 0 9 9a9 9 0 0 0-9-9zM12 8a4 4 0 1 0 4 4a4 4 0 0 0-4-4zM12 3v5M20 16l-4.500-2',
  polarArea: 'M12 12v-9a9 9 0 0 1 8.500 6zM12 12l6.500 4a7.500 7.500 0 0 1-6.500 3.500zM12 12l-5 3a6 6 0 0 1 0-6z',
  radar: 'M12 3l8.500 6.200-3.200 10h-10.600l-3.200-10zM12 8l4 3-1.500 5h-5l-1.500-5z',
  radialBar: 'M12 3a9 9 0 1 1-9 9M12 7a5 5 0 1 1-3.500 8.500M12 11a1 1 0 1 1-1 1',
  heatmap:
    'M4 4h4v4h-4zM10 4h4v4h-4zM16 4h4v4h-4zM4 10h4v4h-4zM10 10h4v4h-4zM16 10h4v4h-4zM4 16h4v4h-4zM10 16h4v4h-4zM16 16h4v4h-4z',
  treemap: 'M3 4h9v16h-9zM12 4h9v9h-9zM12 13h5v7h-5zM17 13h4v7h-4z',
  boxPlot: 'M6 3v4M4 7h4v8h-4zM4 11h4M6 15v5M17 5v5M15 10h4v7h-4zM15 13h4M17 17v4',
};

const isType = (type: string): type is ChartType => Object.hasOwn(paths, type);

export function ChartTypePicture({ type }: { readonly type: string }) {
  return (
    <svg
      width={20}
      height={20}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={type === 'scatter' ? 3 : 1.6}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={isType(type) ? paths[type] : ''} />
    </svg>
  );
}
