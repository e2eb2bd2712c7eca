import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createSecretBox } from '../secret-box.ts';
import { createEmbedParameters } from './embed-parameters.ts';

const sent = [
  { ParameterName: '@Customer', Value: 'canary of a customer', DataType: 'nvarchar(50)' },
  { ParameterName: '@From', Value: null },
];
const parameters = createEmbedParameters(createSecretBox(randomBytes(32), 'embed parameters'));

it('seals names and values, and opens them for their own embed only', () => {
  const kept = parameters.seal('one', sent);
  expect(kept).toMatch(/^v1\./);
  expect(Buffer.from(String(kept).slice(3), 'base64url').toString('latin1')).not.toContain('anary');
  expect(parameters.open({ id: 'one', parameters: kept })).toEqual(sent);
  expect(parameters.open({ id: 'two', parameters: kept })).toBeNull();
});

it('returns null for parameters sealed under another secret', () => {
  const other = createEmbedParameters(createSecretBox(randomBytes(32), 'embed parameters'));
  expect(other.open({ id: 'one', parameters: parameters.seal('one', sent) })).toBeNull();
});

it('reads unsealed parameters of earlier versions, and does not seal an empty list', () => {
  expect(parameters.open({ id: 'one', parameters: sent })).toEqual(sent);
  expect(parameters.seal('one', [])).toEqual([]);
});
