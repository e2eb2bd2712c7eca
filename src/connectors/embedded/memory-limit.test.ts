import { describe, expect, test } from 'vitest';
import { engineMemoryMiB, limitCommand, toMiB } from './memory-limit.ts';

const GIB = 2 ** 30;

describe.each([
  { gibibytes: 1, engine: 768, kibibytes: 2_359_296 },
  { gibibytes: 4, engine: 3_840, kibibytes: 5_505_024 },
  { gibibytes: 64, engine: 65_280, kibibytes: 68_419_584 },
])('a memory limit of $gibibytes GiB', ({ gibibytes, engine, kibibytes }) => {
  test('is shown and passed on in full, beyond 32 bits', () => {
    expect(toMiB(gibibytes * GIB)).toBe(gibibytes * 1024);
    expect(engineMemoryMiB(gibibytes * GIB)).toBe(engine);
    expect(limitCommand(gibibytes * GIB, []).join(' ')).toContain(`ulimit -d ${kibibytes};`);
  });
});

test('the limit of the engine is at least half of a small limit', () => {
  expect(engineMemoryMiB(256 * 2 ** 20)).toBe(128);
});
