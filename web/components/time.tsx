import { Tooltip } from '@mantine/core';
import dayjs from 'dayjs';
import relativeTime from 'dayjs/plugin/relativeTime.js';
import { locale } from '../../src/core/column-format.ts';

dayjs.extend(relativeTime);

// the style of dates in results and charts, in the reader's time zone
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });

export const dateText = (at: string | Date): string => day.format(new Date(at));
export const momentText = (at: string): string => moment.format(new Date(at));
export const clockText = (at: string): string => clock.format(new Date(at));

const oneLine = { whiteSpace: 'nowrap' } as const; // in a narrow column, too

export interface TimeProps {
  readonly at: string | null; // ISO 8601
  readonly never?: string; // shown for null; default: 'Never'
  /** `relative`: 3 minutes ago, in 17 days. Default: a date. The exact time is shown on hover. */
  readonly as?: 'relative' | 'date' | 'full';
}

export function Time({ at, never = 'Never', as = 'date' }: TimeProps) {
  if (at === null) return <span style={oneLine}>{never}</span>;
  return (
    <Tooltip label={momentText(at)} withArrow>
      <time dateTime={at} className="tabular" style={oneLine}>
        {as === 'relative' ? dayjs(at).fromNow() : as === 'date' ? dateText(at) : momentText(at)}
      </time>
    </Tooltip>
  );
}
