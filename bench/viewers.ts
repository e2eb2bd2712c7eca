import { createHmac } from 'node:crypto';
import type { Target } from './load.ts';
import { type Contender, measureRounds, type Rounds, warmUp } from './rounds.ts';
import { callApi, type Sluice } from './sluice.ts';
import type { Line } from './table.ts';
import { median } from './walk.ts';

/** One row with the token of a viewer, compared with one with a key of the same application. */
export async function measureViewers(sluice: Sluice, pace: Omit<Rounds, 'connections'>): Promise<readonly Line[]> {
  const application = { kind: 'application', username: 'host', owner: 'admin', roles: ['Query User'], databases: ['*'] };
  const { id } = await callApi<{ id: string }>(sluice.url, 'POST', '/api/v1/users', application);
  const { key } = await callApi<{ key: string }>(sluice.url, 'POST', `/api/v1/users/${id}/api-keys`, { name: 'bench' });
  const { secret } = await callApi<{ secret: string }>(sluice.url, 'PUT', `/api/v1/users/${id}/signing-keys`, { secret: true });
  const contenders = [
    contender(sluice, 'key', { 'X-API-Key': key }),
    contender(sluice, 'token', { Authorization: `Bearer ${signToken(secret, id, sluice.url)}` }),
  ];
  await warmUp(contenders, { requests: 10_000, seconds: 5 });
  const rounds = await measureRounds(contenders, { ...pace, connections: 16 });
  const of = (name: string) => rounds.flat().filter((each) => each.name === name);
  const perSecond = (name: string): number => median(of(name).map((each) => each.perSecond));
  const processor = (name: string): number => median(of(name).map((each) => each.serverMicroseconds));
  const text = (name: string): string => `${perSecond(name).toFixed(0)}/s, CPU ${processor(name).toFixed(0)} µs`;
  return [
    {
      what: 'one row with a viewer token, to one with a key',
      value: processor('token') / processor('key'),
      unit: '×',
      goal: { atMost: 1.3 },
      remark: `${text('token')} against ${text('key')}`,
    },
  ];
}

function contender({ url, pid }: Sluice, name: string, headers: Readonly<Record<string, string>>): Contender {
  const target: Target = {
    url,
    method: 'POST',
    path: '/api/v1/JsonBuilder/ExecuteQuery',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ QueryName: 'QD_one_Sales', Parameters: [{ ParameterName: '@Id', Value: '{id}' }] }),
  };
  return { name, pid, databasePid: pid, target };
}

function signToken(secret: string, iss: string, aud: string): string {
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const iat = Math.floor(Date.now() / 1000);
  const claims = { iss, aud, sub: 'ana', iat, exp: iat + 3600, name: 'Ana', attributes: { region: ['north', 'south'] } };
  const body = `${encode({ alg: 'HS256' })}.${encode(claims)}`;
  return `${body}.${createHmac('sha256', Buffer.from(secret, 'base64url')).update(body).digest('base64url')}`;
}
