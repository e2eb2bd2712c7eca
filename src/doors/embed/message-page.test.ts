import { expect, test } from 'vitest';
import { messagePage } from './message-page.ts';

const reload = (html: string): number => Number(/<meta http-equiv="refresh" content="(\d+)">/.exec(html)?.[1] ?? Number.NaN);

test('shows a quiet placeholder that reloads itself while other charts are drawn', () => {
  const html = messagePage({ kind: 'UserBusy', retryAfterSeconds: 2 }, 'r1', 'n');
  expect(html).toContain('<main role="status">');
  expect(html).not.toContain('<h1>');
  expect(reload(html)).toBeGreaterThanOrEqual(2);
  expect(reload(html)).toBeLessThan(6);
});

test('tries again where the database is not available', () => {
  const html = messagePage({ kind: 'DatabaseUnavailable', cause: new Error('down') }, 'r1', 'n');
  expect(html).toContain('<h1>Chart temporarily unavailable</h1>');
  expect(reload(html)).toBeGreaterThanOrEqual(15);
});

test('does not reload a link that has ended', () => {
  const html = messagePage({ kind: 'CredentialExpired' }, 'r1', 'n');
  expect(html).toContain('<h1>Link expired</h1>');
  expect(reload(html)).toBeNaN();
});
