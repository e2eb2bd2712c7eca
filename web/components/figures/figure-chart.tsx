import { describeFigure, figureText, measureText } from './figure-texts.ts';
import classes from './figures.module.css';
import type { Figure } from './use-figures.ts';

export interface FigureChartProps {
  readonly figure: Figure;
  readonly isSmall?: boolean; // in a row of a list
}

/** A line of times, or bars of the largest labels. Drawn without the chart library, which would take longer to load than the page. */
export function FigureChart({ figure, isSmall = false }: FigureChartProps) {
  if (figure.unit !== null) return <Sparkline figure={figure} isSmall={isSmall} />;
  return isSmall ? <Columns figure={figure} /> : <Bars figure={figure} />;
}

const WIDTH = 240;
const HEIGHT = 56;

function Sparkline({ figure, isSmall = false }: FigureChartProps) {
  const { points } = figure;
  const values = points.flatMap(({ value }) => (value === null ? [] : [value]));
  const [low, high] = [Math.min(0, ...values), Math.max(...values)];
  const x = (index: number): number => (index / Math.max(1, points.length - 1)) * WIDTH;
  const y = (value: number): number => HEIGHT - 2 - ((value - low) / (high - low || 1)) * (HEIGHT - 4);
  // a missing value is a gap
  const path = points
    .map(({ value }, index) => {
      const isStart = index === 0 || points[index - 1]?.value == null;
      return value === null ? '' : `${isStart ? 'M' : 'L'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
    })
    .join('');
  const area = values.length === points.length ? `${path}L${WIDTH} ${y(low)}L0 ${y(low)}Z` : '';
  return (
    <svg
      className={isSmall ? classes.small : classes.sparkline}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={describeFigure(figure)}
    >
      <path d={area} className={classes.area} />
      <path d={path} className={classes.line} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}

const shareOf = (figure: Figure): ((value: number | null) => string) => {
  const most = Math.max(...figure.points.map(({ value }) => Math.abs(value ?? 0)));
  return (value) => `${most === 0 ? 0 : (Math.abs(value ?? 0) / most) * 100}%`;
};

/** Names and values are texts: nothing else is to be read by a screen reader. */
function Bars({ figure }: { readonly figure: Figure }) {
  const share = shareOf(figure);
  return (
    <ul className={classes.bars} aria-label={`${measureText(figure)} by ${figure.labelColumn}`}>
      {figure.points.slice(0, 4).map(({ label, value }) => (
        <li key={label}>
          <span className={classes.label} title={label} dir="auto">
            {label}
          </span>
          <span className={classes.track} aria-hidden>
            <span className={value !== null && value < 0 ? classes.negative : classes.bar} style={{ width: share(value) }} />
          </span>
          <span className="tabular">{figureText(value, figure)}</span>
        </li>
      ))}
    </ul>
  );
}

function Columns({ figure }: { readonly figure: Figure }) {
  const share = shareOf(figure);
  return (
    <div className={classes.columns} role="img" aria-label={describeFigure(figure)}>
      {figure.points.map(({ label, value }) => (
        <span key={label} style={{ height: share(value) }} title={`${label}: ${figureText(value, figure)}`} />
      ))}
    </div>
  );
}
