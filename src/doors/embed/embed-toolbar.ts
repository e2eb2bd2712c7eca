import { type ChartTool, chartTools, moreToolsPath } from '../../charts/chart-tools.ts';

/** The buttons of a chart. They do nothing without the script, which therefore shows them. */
export function toolbar(zooms: boolean): string {
  const buttons = chartTools(zooms).map(({ act, name, key, face }) => {
    const hint = key === null ? name : `${name} (${key})`;
    return `<button type="button" class="tool" data-act="${act}" aria-label="${name}" title="${hint}">${faceOf(face)}</button>`;
  });
  return `<div id="tools" role="toolbar" aria-label="Chart tools" aria-controls="live" hidden>
<button type="button" id="more-tools" aria-label="Chart tools" aria-expanded="false" title="Chart tools">${icon(moreToolsPath)}</button>
${buttons.join('\n')}
</div>`;
}

const faceOf = (face: ChartTool['face']): string => ('word' in face ? face.word : icon(face.path));

const icon = (path: string): string =>
  `<svg width="16" height="16" viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${path}"/></svg>`;
