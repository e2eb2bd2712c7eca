import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { readInjected, sendAndLeave, serverWith } from '../../../test/support/http/request-of.ts';
import type { Call } from '../../pipeline/call.ts';
import { callOf, credentialOf } from './call-of.ts';

async function called(headers: Record<string, string>, trustProxy?: string[]): Promise<Call> {
  const calls: Call[] = [];
  const app = await serverWith(
    (request, reply) => void calls.push(callOf(request, reply, 'rest', { cookie: true })),
    trustProxy === undefined ? {} : { trustProxy },
  );
  await app.inject({ method: 'POST', url: '/', headers });
  await app.close();
  const [call] = calls;
  if (call === undefined) throw new Error('no call');
  return call;
}

it('accepts a forwarded address from a trusted proxy only', async () => {
  const headers = { 'x-forwarded-for': '203.0.113.9, 10.1.2.3' };
  expect((await called(headers)).address).toBe('127.0.0.1');
  expect((await called(headers, ['10.0.0.0/8'])).address).toBe('127.0.0.1');
  expect((await called(headers, ['127.0.0.1'])).address).toBe('10.1.2.3');
  expect((await called(headers, ['127.0.0.1', '10.0.0.0/8'])).address).toBe('203.0.113.9');
});

it('takes the client from User-Agent, truncated, or null', async () => {
  expect((await called({ 'user-agent': 'x'.repeat(1000) })).client).toHaveLength(300);
  expect((await called({ 'user-agent': '' })).client ?? '').toBe('');
});

it('uses the channel of the UI for calls with the cookie', async () => {
  expect((await called({ cookie: 'sluice_session=abc' })).channel).toBe('ui');
  expect((await called({ 'x-api-key': 'abc', cookie: 'sluice_session=abc' })).channel).toBe('rest');
});

it('aborts when the caller disconnects before the response, not after it', async () => {
  const signals: AbortSignal[] = [];
  const gate = Promise.withResolvers<void>();
  const app = await serverWith(async (request, reply) => {
    signals.push(callOf(request, reply, 'rest', { cookie: false }).signal);
    if (request.url === '/slow') await gate.promise;
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  await (await fetch(`${url}/fast`, { headers: { connection: 'close' } })).text();
  await sendAndLeave(url, 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
  await expect.poll(() => signals.map((signal) => signal.aborted)).toEqual([false, true]);
  gate.resolve();
  await app.close();
});

it('is aborted initially, with an address, if the caller has already disconnected', async () => {
  const calls: Call[] = [];
  const app = await serverWith(async (request, reply) => {
    if (!request.socket.destroyed) await once(request.socket, 'close');
    calls.push(callOf(request, reply, 'rest', { cookie: false }));
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  await sendAndLeave(url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await expect.poll(() => calls.length).toBe(1);
  expect(calls[0]?.signal.aborted).toBe(true);
  expect(typeof calls[0]?.address).toBe('string');
  await app.close();
});

const shown = (headers: Record<string, string>, cookie = true) =>
  readInjected((request) => credentialOf(request, { cookie }), { headers });
const basic = (bytes: string | Buffer) => ({ authorization: `Basic ${Buffer.from(bytes).toString('base64')}` });

describe('the order', () => {
  const all = { 'x-api-key': 'slc_key', ...basic('alice:secret'), cookie: 'sluice_session=abc' };

  it('is key, Authorization, cookie', async () => {
    expect(await shown(all)).toEqual({ kind: 'key', key: 'slc_key' });
    expect(await shown({ authorization: all.authorization, cookie: all.cookie })).toMatchObject({ kind: 'basic' });
    expect(await shown({ cookie: all.cookie })).toEqual({ kind: 'session', sessionId: 'abc' });
    expect(await shown({})).toEqual({ kind: 'none' });
  });

  it('does not fall back from an invalid credential', async () => {
    expect(await shown({ 'x-api-key': 'nonsense', cookie: all.cookie })).toEqual({ kind: 'key', key: 'nonsense' });
    expect(await shown({ authorization: 'Digest x', cookie: all.cookie })).toEqual({ kind: 'unreadable' });
    expect(await shown({ authorization: 'Bearer', cookie: all.cookie })).toEqual({ kind: 'unreadable' });
  });

  it('skips empty headers, and the cookie where it is not accepted', async () => {
    expect(await shown({ ...all, 'x-api-key': '' })).toMatchObject({ kind: 'basic' });
    expect(await shown({ 'x-api-key': '', authorization: '', cookie: 'sluice_session=' })).toEqual({ kind: 'none' });
    expect(await shown({ cookie: all.cookie }, false)).toEqual({ kind: 'none' });
  });
});

it.each(['Bearer slc_key', 'bearer  slc_key ', 'BEARER slc_key'])('reads the key of %j', async (authorization) => {
  expect(await shown({ authorization })).toEqual({ kind: 'key', key: 'slc_key' });
});

describe('Basic', () => {
  it.each([
    ['a colon in the password', 'alice:se:cr:et', 'alice', 'se:cr:et'],
    ['no password', 'alice:', 'alice', ''],
    ['no name', ':secret', '', 'secret'],
    ['letters of every script', 'zoë😀:пароль密码', 'zoë😀', 'пароль密码'],
    ['blanks, which count', ' alice : secret ', ' alice ', ' secret '],
  ])('accepts %s', async (_, text, username, password) => {
    expect(await shown(basic(text))).toEqual({ kind: 'basic', username, password });
  });

  it('is read as Latin-1 if it is not valid UTF-8, as older clients send it', async () => {
    expect(await shown(basic(Buffer.from('zoë:pässword', 'latin1')))).toEqual({
      kind: 'basic',
      username: 'zoë',
      password: 'pässword',
    });
  });

  it.each([
    ['no padding', `Basic ${Buffer.from('al:x').toString('base64').replace(/=+$/, '')}`, 'al:x'],
    ['the alphabet of URLs', `Basic ${Buffer.from('a:??>>~~').toString('base64url')}`, 'a:??>>~~'],
    ['any case of the scheme', `bAsIc ${Buffer.from('a:b').toString('base64')}`, 'a:b'],
    ['more blanks', `  Basic   ${Buffer.from('a:b').toString('base64')}  `, 'a:b'],
  ])('may have %s', async (_, authorization, text) => {
    const [username, password] = text.split(':');
    expect(await shown({ authorization })).toEqual({ kind: 'basic', username, password });
  });

  it.each(['Basic', 'Basic ', 'Basic %%%', 'Basic YWI6Yw== x', 'Basic YWI=', 'Basic YWI6Yw===', 'YWI6Yw==', 'Digest YWI6Yw=='])(
    'is not %j',
    async (authorization) => {
      expect(await shown({ authorization })).toEqual({ kind: 'unreadable' });
    },
  );
});
