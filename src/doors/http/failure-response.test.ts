import { Writable } from 'node:stream';
import fastify from 'fastify';
import { expect, it } from 'vitest';
import { failureTable, type Failure, fieldMissing } from '../../core/errors.ts';
import { problemOf, sendFailure } from './failure-response.ts';

async function responseTo(failure: Failure, headers: Record<string, string> = {}) {
  const lines: string[] = [];
  const stream = new Writable({ write: (chunk, _, done) => done(void lines.push(String(chunk))) });
  const app = fastify({ logger: { level: 'info', stream }, genReqId: () => 'request-1' });
  app.get('/', (request, reply) => sendFailure(request, reply, failure));
  const response = await app.inject({ url: '/', headers });
  await app.close();
  const logged = lines.map((line) => JSON.parse(line)).filter((line) => line.failure !== undefined);
  return { status: response.statusCode, headers: response.headers, body: response.json(), logged };
}

it('is an RFC 9457 problem that is not cached', async () => {
  const problems = [{ field: '@Region', message: 'It is required.' }];
  const { status, headers, body } = await responseTo({ kind: 'ParameterInvalid', problems });
  expect(status).toBe(400);
  expect(headers).toMatchObject({ 'content-type': 'application/problem+json; charset=utf-8', 'cache-control': 'no-store' });
  expect(body).toEqual({
    type: 'urn:sluice:problem:parameter_invalid',
    title: 'Parameter not valid',
    status: 400,
    detail: '@Region: It is required.',
    code: 'parameter_invalid',
    requestId: 'request-1',
    errors: [{ field: '@Region', code: 'parameter_invalid', message: 'It is required.' }],
  });
});

it('logs the cause under the request id', async () => {
  const cause = new Error('relation "salaries" does not exist');
  const { body, logged } = await responseTo({ kind: 'QueryFailed', cause });
  expect(JSON.stringify(body)).not.toContain('salaries');
  expect(body.detail).toContain('request-1');
  expect(logged).toMatchObject([{ level: 40, requestId: 'request-1', failure: 'QueryFailed', err: { message: cause.message } }]);
  expect((await responseTo({ kind: 'Internal', cause })).logged).toMatchObject([{ level: 50 }]);
  expect((await responseTo({ kind: 'QueryCancelled', cause })).logged).toMatchObject([{ level: 30 }]);
  expect((await responseTo({ kind: 'QueryNotAccessible' })).logged).toEqual([]);
});

it('sends Retry-After', async () => {
  expect((await responseTo({ kind: 'UserBusy', retryAfterSeconds: 7 })).headers['retry-after']).toBe('7');
  expect((await responseTo({ kind: 'StoreUnavailable', cause: null })).headers['retry-after']).toBe('1');
  expect((await responseTo({ kind: 'QueryFailed', cause: null })).headers['retry-after']).toBeUndefined();
});

it('sends Allow with a 405', async () => {
  expect((await responseTo({ kind: 'MethodNotAllowed', allow: ['GET', 'PUT'] })).headers.allow).toBe('GET, PUT');
});

it('sends WWW-Authenticate to programs but not to browsers, which would open a dialog', async () => {
  const asked = async (headers: Record<string, string>) =>
    (await responseTo({ kind: 'CredentialMissing' }, headers)).headers['www-authenticate'];
  expect(await asked({ 'user-agent': 'curl/8.5.0' })).toBe('Basic realm="Sluice", charset="UTF-8"');
  expect(await asked({ 'sec-fetch-mode': 'cors' })).toBeUndefined();
  // browsers omit Sec-Fetch headers over plain http to other hosts
  expect(await asked({ 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' })).toBeUndefined();
});

it('reports the position of an SQL error', () => {
  expect(problemOf({ kind: 'SqlInvalid', message: 'Syntax error.', line: 2, column: 5 }, 'r').errors).toEqual([
    { field: 'sql', code: 'sql_invalid', message: 'Syntax error.', line: 2, column: 5 },
  ]);
  expect(problemOf({ kind: 'SqlInvalid', message: 'No.', field: 'epilogue' }, 'r').errors).toEqual([
    { field: 'epilogue', code: 'sql_invalid', message: 'No.' },
  ]);
});

it('lists a missing field in `errors`', () => {
  expect(problemOf(fieldMissing('QueryName'), 'r').errors).toMatchObject([{ field: 'QueryName' }]);
  expect(problemOf({ kind: 'NotFound', what: 'such path' }, 'r')).not.toHaveProperty('errors');
  expect(problemOf({ kind: 'NotFound', what: 'such path' }, 'r').status).toBe(failureTable.NotFound.status);
});
