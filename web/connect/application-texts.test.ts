import { expect, test } from 'vitest';
import type { ApplicationRequest } from '../app/api-types.ts';
import { listWarnings, verificationOf } from './application-texts.ts';

const request = (
  source: ApplicationRequest['application']['source'],
  redirect: ApplicationRequest['redirect'],
  documentHost: string | null = null,
) => ({ application: { name: 'Claude', clientId: 'c', source, documentHost }, redirect });

test('says who vouches for an application', () => {
  expect(verificationOf({ source: 'registered', documentHost: null })).toMatchObject({ color: 'teal' });
  expect(verificationOf({ source: 'document', documentHost: 'claude.ai' })).toEqual({
    text: 'Published by claude.ai',
    color: 'gray',
  });
  expect(verificationOf({ source: 'dynamic', documentHost: null })).toMatchObject({ color: 'yellow' });
});

test('warns of claimed names, of programs on this computer, of two hosts, and of hosts that can look like others', () => {
  const count = (...about: Parameters<typeof request>) => listWarnings(request(...about)).length;
  expect(count('registered', { kind: 'web', host: 'claude.ai' })).toBe(0);
  expect(count('document', { kind: 'web', host: 'claude.ai' }, 'claude.ai')).toBe(0);
  expect(count('dynamic', { kind: 'web', host: 'claude.ai' })).toBe(1);
  expect(count('document', { kind: 'loopback', host: '127.0.0.1:4711' }, 'claude.ai')).toBe(1);
  expect(count('registered', { kind: 'app', host: 'cursor:' })).toBe(1);
  expect(count('registered', { kind: 'web', host: 'sub.xn--clude-5ve.ai' })).toBe(1);
  expect(count('document', { kind: 'web', host: 'claude.ai' }, 'claude.example')).toBe(1);
  expect(count('document', { kind: 'web', host: 'xn--clude-5ve.ai' }, 'xn--clude-5ve.ai')).toBe(1);
});
