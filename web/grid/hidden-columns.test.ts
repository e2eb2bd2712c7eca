import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readHidden, storeHidden } from './hidden-columns.ts';

describe('storeHidden and readHidden', () => {
  const storage = new Map<string, string>();
  beforeEach(() => {
    storage.clear();
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => storage.get(key) ?? null,
      setItem: (key: string, value: string) => storage.set(key, value),
    });
  });
  afterEach(() => vi.unstubAllGlobals());

  it('keep the hidden columns of the 50 results that were changed last', () => {
    for (let result = 0; result < 60; result++) storeHidden(`result ${result}`, new Set(['a', `b ${result}`]));
    storeHidden('result 59', new Set());
    expect([...readHidden('result 10')]).toEqual(['a', 'b 10']);
    expect(readHidden('result 9').size).toBe(0);
    expect(readHidden('result 59').size).toBe(0);
  });

  it.each(['', 'no JSON', '{}', '[1, ["result"], [2, []]]'])('treat %j in the storage as no hidden columns', (text) => {
    storage.set('sluice-hidden-columns', text);
    expect(readHidden('result').size).toBe(0);
    storeHidden('result', new Set(['a']));
    expect([...readHidden('result')]).toEqual(['a']);
  });

  it('keep nothing if the browser blocks its storage', () => {
    vi.stubGlobal('localStorage', undefined);
    storeHidden('result', new Set(['a']));
    expect(readHidden('result').size).toBe(0);
  });
});
