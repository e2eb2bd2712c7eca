import { expect, test } from 'vitest';
import { toInstant } from './text-times.ts';

test.each([
  ['2026-01-31 09:30:00.123456789 Europe/Berlin', '2026-01-31T08:30:00.123456789Z'],
  ['2026-03-29 01:59:59 Europe/Berlin', '2026-03-29T00:59:59Z'],
  ['2026-03-29 03:00:00 Europe/Berlin', '2026-03-29T01:00:00Z'],
  ['2026-10-25 01:59:59 Europe/Berlin', '2026-10-24T23:59:59Z'],
  ['2026-10-25 02:30:00 Europe/Berlin', '2026-10-25T00:30:00Z'], // occurs twice: the first is meant
  ['2026-10-25 03:00:00 Europe/Berlin', '2026-10-25T02:00:00Z'],
  ['2026-04-05 01:45:00 Australia/Lord_Howe', '2026-04-04T14:45:00Z'], // daylight saving time of half an hour
  ['1890-01-01 00:00:00 Europe/Berlin', '1889-12-31T23:06:32Z'], // local mean time, before time zones
  ['2026-01-31 09:30:00.500 +05:45', '2026-01-31T03:45:00.5Z'],
  ['2026-01-31 09:30:00 UTC', '2026-01-31T09:30:00Z'],
  ['2026-01-31 09:30:00 Mars/Olympus', '2026-01-31 09:30:00 Mars/Olympus'],
  ['1987-10-25 00:00:30 America/St_Johns', '1987-10-25T02:30:30Z'], // the clocks change a minute after midnight, in the middle of an hour of UTC
  ['1987-10-25 00:01:30 America/St_Johns', '1987-10-25T03:31:30Z'],
])('%s is %s', (text, instant) => {
  expect(toInstant(text)).toBe(instant);
});
