import { expect, it } from 'vitest';
import { createRequestId } from './server.ts';

it('is a UUIDv7 that contains the time', () => {
  const before = Date.now();
  const id = createRequestId();
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const at = Number.parseInt(id.replace('-', '').slice(0, 12), 16);
  expect(at).toBeGreaterThanOrEqual(before);
  expect(at).toBeLessThanOrEqual(Date.now());
});

it('is unique', () => {
  expect(new Set(Array.from({ length: 10_000 }, createRequestId)).size).toBe(10_000);
});
