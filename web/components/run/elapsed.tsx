import { useEffect, useState } from 'react';

const TICK_MS = 250;

/** The time since `since` (Date.now()), updated while mounted: 00:00:14. */
export function Elapsed({ since }: { readonly since: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <span className="tabular" role="timer">
      {clockText(Math.max(0, now - since))}
    </span>
  );
}

function clockText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

/** A duration: 320 ms, 1.4 s, 02:10. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : clockText(ms).replace(/^00:/, '');
}
