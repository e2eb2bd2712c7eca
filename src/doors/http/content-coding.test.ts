import { expect, it } from 'vitest';
import { contentCodingOf } from './content-coding.ts';

it.each([
  [undefined, null],
  ['', null],
  ['identity', null],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['deflate', null],
  ['gzip, deflate', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['br;q=0, zstd;q=0, *', 'gzip'],
  ['*', 'zstd'],
  ['*;q=0', null],
  ['gzip;q=0', null],
  ['identity;q=1, gzip;q=0.5', null],
  ['identity;q=0.5, gzip;q=1', 'gzip'],
  ['gzip ; q=0.8 , br ; q=0.9', 'br'],
  [';q=1,,', null],
])('Accept-Encoding: %s → %s', (accepted, coding) => {
  expect(contentCodingOf(accepted)).toBe(coding);
});
