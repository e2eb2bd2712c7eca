import type { Ref } from 'react';
import { type ChartTool, chartTools, moreToolsPath } from '../../src/charts/chart-tools.ts';

export interface ChartToolbarProps {
  readonly ref: Ref<HTMLDivElement>;
  readonly controls: string; // the id of the chart
  readonly zooms: boolean;
}

/** The buttons of a chart, which connectTools makes work. A narrow chart collapses them into one. */
export function ChartToolbar({ ref, controls, zooms }: ChartToolbarProps) {
  return (
    <div className="chart-tools" ref={ref} role="toolbar" aria-label="Chart tools" aria-controls={controls}>
      <button type="button" id="more-tools" aria-label="Chart tools" aria-expanded="false" title="Chart tools">
        <Icon path={moreToolsPath} />
      </button>
      {chartTools(zooms).map(({ act, name, key, face }) => (
        <button
          key={act}
          type="button"
          className="chart-tool"
          data-act={act}
          aria-label={name}
          title={key === null ? name : `${name} (${key})`}
        >
          <Face face={face} />
        </button>
      ))}
    </div>
  );
}

function Face({ face }: { readonly face: ChartTool['face'] }) {
  return 'word' in face ? face.word : <Icon path={face.path} />;
}

function Icon({ path }: { readonly path: string }) {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}
