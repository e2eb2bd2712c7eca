import { expect, it } from 'vitest';
import { ConnectorError } from '../../connectors/connector.ts';
import { maskErrors, withMaskedErrors } from './mask-errors.ts';

const declared = [
  { name: '@Pin', dataType: 'text', required: true, masked: true },
  { name: '@Shown', dataType: 'text', required: true },
] as const;
const values = [
  { name: '@Pin', type: { name: 'text' }, value: '4711' },
  { name: '@Shown', type: { name: 'text' }, value: 'plain' },
] as const;

it('replaces a masked value by *** in a database error, and drops its cause', () => {
  const mask = maskErrors(declared, values);
  const masked = mask?.(new ConnectorError('failed', "no integer: '4711', 'plain'", { cause: new Error('4711') }));
  expect(masked).toMatchObject({ kind: 'failed', message: "no integer: '***', 'plain'" });
  expect(masked instanceof Error && masked.cause).toBeUndefined();
});

it('does so for an error after rows', async () => {
  const broken = {
    columns: [],
    // oxlint-disable-next-line require-yield -- it breaks before its first batch
    async *batches() {
      throw new ConnectorError('failed', 'bad 4711');
    },
    close: async () => {},
  };
  const rows = withMaskedErrors(broken, maskErrors(declared, values));
  await expect(rows.batches()[Symbol.asyncIterator]().next()).rejects.toThrow('bad ***');
});

it('returns null without masked values', () => {
  expect(maskErrors(declared, values.slice(1))).toBeNull();
});
