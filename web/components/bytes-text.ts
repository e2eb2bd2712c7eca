const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** 812 bytes, 1.4 kB, 23 MB. */
export function bytesText(bytes: number): string {
  const step = Math.min(units.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const count = bytes / 1000 ** step;
  return `${step > 0 && count < 10 ? count.toFixed(1) : Math.round(count)} ${units[step]}`;
}
