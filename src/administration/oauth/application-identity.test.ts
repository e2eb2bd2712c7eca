import { expect, test } from 'vitest';
import { identityOf, plainName } from './application-identity.ts';

test.each([
  ['Claude', 'Claude'],
  ['  Claude\n\tfor\u00a0work ', 'Claude for work'],
  ['Claude\u202e moc.live', 'Claude moc.live'],
  ['\u3164\u115f\u2800\u200b\u00ad', ''],
  ['Claude” (verified by “Anthropic', "Claude' (verified by 'Anthropic"],
  ['"Claude" «Code»', "'Claude' 'Code'"],
  ['Crédit Agricole مساعد 助手', 'Crédit Agricole مساعد 助手'],
  ['Claude ✓ (verified ✔\ufe0f) 🔒 ®', 'Claude (verified )'],
  ['\ud800Claude\udc00', 'Claude'],
  ['𝒳'.repeat(100), '𝒳'.repeat(100)],
  ['𝒳'.repeat(101), '𝒳'.repeat(99) + '…'],
  ['x'.repeat(100_000), 'x'.repeat(99) + '…'],
])('shows the name %j as %j', (claimed, shown) => {
  expect(plainName(claimed)).toBe(shown);
});

test('tells by the client id who vouches for a name', () => {
  expect(identityOf('app_1')).toEqual({ source: 'registered', documentHost: null });
  expect(identityOf('https://claude.ai/oauth/metadata')).toEqual({ source: 'document', documentHost: 'claude.ai' });
  expect(identityOf('dyn_1')).toEqual({ source: 'dynamic', documentHost: null });
});
