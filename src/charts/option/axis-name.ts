import type { Option } from '../scene.ts';
import { clip } from '../text-width.ts';
import type { ChartTheme } from './theme.ts';

const style = ({ muted }: ChartTheme): Option => ({ color: muted, fontSize: 11, fontWeight: 500 });

export const nameBelow = (theme: ChartTheme, name: string): Option => ({
  name: clip(name, 40),
  nameLocation: 'middle',
  nameGap: 30,
  nameTextStyle: style(theme),
});

export const nameAbove = (theme: ChartTheme, name: string): Option => ({
  name: clip(name, 40),
  nameLocation: 'end',
  nameGap: 12,
  nameTextStyle: { ...style(theme), align: 'left', padding: [0, 0, 0, -28] },
});
