import { Tooltip } from '@mantine/core';
import dayjs from 'dayjs';
import relativeTime from 'dayjs/plugin/relativeTime.js';

dayjs.extend(relativeTime);

export interface TimeProps {
  readonly at: string | null; // ISO 8601
  readonly never?: string; // shown for null; default: 'Never'
  /** `relative`: 3 minutes ago, in 17 days. Default: 15 Nov 2026. The exact time is shown on hover. */
  readonly as?: 'relative' | 'date' | 'full';
}

export function Time({ at, never = 'Never', as = 'date' }: TimeProps) {
  if (at === null) return <>{never}</>;
  const time = dayjs(at);
  const text = as === 'relative' ? time.fromNow() : time.format(as === 'date' ? 'D MMM YYYY' : 'D MMM YYYY HH:mm:ss');
  return (
    <Tooltip label={time.format('D MMMM YYYY HH:mm:ss')} withArrow>
      <time dateTime={at} className="tabular">
        {text}
      </time>
    </Tooltip>
  );
}
