import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { BoundValue } from '../core/sql-value.ts';
import { type Continuation, createContinuations, digestOf } from './continuation.ts';

const continuations = createContinuations(randomBytes(32));
const position = {
  snapshotId: 'ab'.repeat(16),
  userId: 'u1',
  queryId: 'q1',
  digest: digestOf('q1', []),
  rowIndex: 1000,
  rowSize: 500,
};
const page: Continuation = { kind: 'page', ...position };

describe('a continuation code', () => {
  it('decodes to its content', () => {
    expect(continuations.read(continuations.issue(page), 'page')).toEqual(page);
    const stream: Continuation = { kind: 'stream', chunkIndex: 3, ...position };
    expect(continuations.read(continuations.issue(stream), 'stream')).toEqual(stream);
    const download: Continuation = { kind: 'download', fileId: 'f1', userId: 'u1', expiresAt: 17 };
    expect(continuations.read(continuations.issue(download), 'download')).toEqual(download);
  });

  it('decodes to the view of its page', () => {
    for (const view of [
      { fits: true },
      { isTable: true, columns: 'gQ' },
      { fits: true, fullCells: true, columns: ['Größe', '"'] },
    ])
      for (const more of [{}, { rowIndex: 0, rowSize: 0 }, { rowIndex: 2 ** 40, userId: 'größe' }]) {
        const shown: Continuation = { ...page, ...more, view };
        expect(continuations.read(continuations.issue(shown), 'page')).toEqual(shown);
        const chunk: Continuation = { ...shown, kind: 'stream', chunkIndex: 0 };
        expect(continuations.read(continuations.issue(chunk), 'stream')).toEqual(chunk);
      }
  });

  it('is short, because models repeat it', () => {
    const ids = { userId: randomUUID(), queryId: randomUUID() };
    const shown: Continuation = { ...page, ...ids, rowIndex: 250_000, view: { fits: true, isTable: true } };
    expect(continuations.issue(shown)).toMatch(/^[\w-]{100,145}$/);
    expect(continuations.read(continuations.issue(shown), 'page')).toEqual(shown);
  });

  it('is rejected if any character changed', () => {
    const code = continuations.issue(page);
    for (let at = 0; at < code.length; at++) {
      for (const other of ['A', 'B', 'Q', '-', '_', '+', '/', '=', ' ', '\0']) {
        if (code[at] === other) continue;
        expect(continuations.read(code.slice(0, at) + other + code.slice(at + 1), 'page')).toBeNull();
      }
    }
  });

  it('is rejected if cut, extended, empty, or of another key', () => {
    const code = continuations.issue(page);
    for (let length = 0; length < code.length; length++) expect(continuations.read(code.slice(0, length), 'page')).toBeNull();
    for (const more of ['A', '=', '==', ' ', 'AAAA', '\n']) expect(continuations.read(code + more, 'page')).toBeNull();
    expect(continuations.read(createContinuations(randomBytes(32)).issue(page), 'page')).toBeNull();
    expect(continuations.read('A'.repeat(1_000_000), 'page')).toBeNull();
  });

  it('is valid for its kind only', () => {
    const code = continuations.issue(page);
    expect(continuations.read(code, 'stream')).toBeNull();
    expect(continuations.read(code, 'download')).toBeNull();
    expect(continuations.read(continuations.issue({ kind: 'stream', chunkIndex: 1, ...position }), 'page')).toBeNull();
  });
});

describe('the digest of query and parameters', () => {
  const region = (value: string | null): BoundValue => ({ name: '@Region', type: { name: 'text' }, value });
  const year: BoundValue = { name: '@Year', type: { name: 'integer', bits: 32, unsigned: false }, value: '2026' };

  it('does not depend on the order of the parameters', () => {
    expect(digestOf('q1', [region('North'), year])).toBe(digestOf('q1', [year, region('North')]));
  });

  it('differs by query and value, and between NULL and text', () => {
    const digests = [digestOf('q1', [region('N')]), digestOf('q2', [region('N')]), digestOf('q1', [region('S')])];
    digests.push(
      digestOf('q1', [region(null)]),
      digestOf('q1', [region('null')]),
      digestOf('q1', []),
      digestOf('q1', [region('')]),
    );
    expect(new Set(digests).size).toBe(digests.length);
  });
});
