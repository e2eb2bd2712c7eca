import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type McpCaller, mcpOf, type RpcResponse } from '../../support/http/mcp.ts';
import { sendRaw } from '../../support/http/raw-call.ts';
import { startTestService, type TestService } from '../../support/services/service.ts';

let service: TestService;
let mcp: McpCaller;
beforeAll(async () => {
  service = await startTestService({ SLUICE_BODY_LIMIT: '20000', SLUICE_ALLOWED_ORIGINS: 'https://app.example.com' });
  mcp = mcpOf(service);
});
afterAll(() => service.close());

const json = { 'Content-Type': 'application/json' };
const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const raw = async (method: string, headers: Record<string, string> = {}, body?: string) => {
  const { host } = new URL(service.url);
  const response = await sendRaw(service.url, {
    method,
    path: '/mcp',
    headers: { Host: host, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const isJson = response.headers['content-type']?.startsWith('application/json') === true;
  return { ...response, json: (isJson ? JSON.parse(response.text) : undefined) as RpcResponse | undefined };
};

describe('GET', () => {
  test.each([{}, { Accept: '*/*' }, { Accept: 'application/json' }, { Accept: 'text/html' }])(
    'returns the banner for %j',
    async (headers) => {
      const { status, json: body, headers: sent } = await raw('GET', headers);
      expect([status, Object.keys(body ?? {})]).toEqual([200, ['service', 'protocol']]);
      expect(JSON.stringify(body)).toContain('JSON-RPC 2.0 over HTTP POST');
      expect(sent['cache-control']).toBe('no-store');
    },
  );

  test.each(['text/event-stream', 'application/json, text/event-stream', 'Text/Event-Stream;q=1'])(
    'returns 405 to a client that requests an event stream by %s',
    async (Accept) => {
      const { status, headers, json: body } = await raw('GET', { Accept });
      expect([status, headers.allow, body?.id]).toEqual([405, 'POST', null]);
      expect(body?.error?.code).toBe(-32600);
    },
  );
});

test.each(['DELETE', 'PUT', 'PATCH'])('%s returns 405 as a JSON-RPC error', async (method) => {
  const { status, headers, json: body } = await raw(method, { 'Mcp-Session-Id': 'x' });
  expect([status, headers.allow, body?.jsonrpc, body?.id, body?.error?.code]).toEqual([405, 'GET, POST', '2.0', null, -32600]);
});

describe('a POST', () => {
  test.each([{}, { Accept: 'text/plain' }, { Accept: 'application/json, text/event-stream' }, { Accept: 'text/event-stream' }])(
    'gets JSON regardless of Accept (%j)',
    async (accepts) => {
      const { status, headers, json: body } = await raw('POST', { ...json, ...accepts }, ping);
      expect([status, body]).toEqual([200, { jsonrpc: '2.0', result: {}, id: 1 }]);
      expect(headers['content-type']).toMatch(/^application\/json/);
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['x-request-id']).toBeTruthy();
    },
  );

  test.each([undefined, 'text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16', 'nonsense'])(
    'of the type %s gets 415',
    async (type) => {
      const { status, json: body } = await raw('POST', type === undefined ? {} : { 'Content-Type': type }, ping);
      expect([status, body?.id, body?.error?.code]).toEqual([415, null, -32600]);
    },
  );

  test('may name its charset', async () => {
    expect((await raw('POST', { 'Content-Type': 'application/json; charset=UTF-8' }, ping)).status).toBe(200);
  });

  test('that is too large gets 413', async () => {
    const { status, json: body } = await raw('POST', json, `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(30_000)}"}`);
    expect([status, body?.id, body?.error?.code, body?.error?.data.reason]).toEqual([413, null, -32600, 'payload_too_large']);
  });

  test.each(['', '{', 'nonsense', '{"jsonrpc":"2.0","id":1,"method":"ping"', '"a', `${'['.repeat(50)}${']'.repeat(50)}`])(
    'of the bytes %j gets a parse error',
    async (body) => {
      const response = await mcp.post(body);
      expect([response.status, response.json.error?.code, response.json.id]).toEqual([400, -32700, null]);
    },
  );

  test.each([
    ['a batch', `[${ping}]`, null],
    ['an empty batch', '[]', null],
    ['a text', '"ping"', null],
    ['null', 'null', null],
    ['a null id', '{"jsonrpc":"2.0","id":null,"method":"ping"}', null],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', null],
    ['an id that could not be sent back as it is', '{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}', null],
    ['no version', '{"id":7,"method":"ping"}', 7],
    ['another version', '{"jsonrpc":"1.0","id":"a","method":"ping"}', 'a'],
    ['a number as version', '{"jsonrpc":2.0,"id":"a","method":"ping"}', 'a'],
    ['a number as method', '{"jsonrpc":"2.0","id":1,"method":1}', 1],
    ['no method', '{"jsonrpc":"2.0","id":1}', 1],
    ['params by position', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', 1],
    ['params that are text', '{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}', 1],
  ])('with %s is an invalid request', async (_what, body, id) => {
    const response = await mcp.post(body);
    expect([response.status, response.json.error?.code, response.json.id]).toEqual([400, -32600, id]);
    expect(response.json.error?.data).toEqual({
      httpStatus: 400,
      reason: 'request_invalid',
      requestId: response.headers.get('x-request-id'),
    });
  });

  test.each(['9007199254740993', '-1e300', '12345678901234567890'])(
    'with the id %s gets an error that asks for a string',
    async (id) => {
      const { json: body } = await mcp.post(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
      expect(body.error?.message).toMatch(/^This is not a JSON-RPC 2.0 request: id is too large .* as a string/);
      expect((await mcp.post(`{"jsonrpc":"2.0","id":"${id}","method":"ping"}`)).json.id).toBe(id);
    },
  );

  test.each([1, 0, -5, 1.5, 'a', '', 'ü\n"', 9007199254740991])('gets its id %j back', async (id) => {
    expect((await mcp.post({ jsonrpc: '2.0', id, method: 'ping' })).json).toEqual({ jsonrpc: '2.0', result: {}, id });
  });

  test.each([
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    { jsonrpc: '2.0', method: 'no/such/thing' },
    { jsonrpc: '2.0', method: 'tools/call', params: { name: 'get_user_profile' } },
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 1, error: { code: 1, message: '' } },
  ])('with the notification or response %j gets 202 without a body', async (message) => {
    const response = await mcp.post(message);
    expect([response.status, response.text, response.headers.get('cache-control')]).toEqual([202, '', 'no-store']);
  });

  test.each(['prompts/list', 'logging/setLevel', 'completion/complete', 'server/discover', '', 'TOOLS/LIST', '__proto__'])(
    'with the unknown method %j gets an error',
    async (method) => {
      const { status, json: body } = await mcp.rpc(method);
      expect([status, body.error?.code, body.error?.data.httpStatus]).toEqual([200, -32601, 404]);
    },
  );

  test('with a session id is served without one', async () => {
    const { status, headers } = await mcp.rpc('ping', {}, { 'Mcp-Session-Id': 'of another life' });
    expect([status, headers.get('mcp-session-id')]).toEqual([200, null]);
  });
});

describe('initialize', () => {
  test.each([
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    ['2025-11-25', '2025-11-25'],
    ['2026-07-28', '2025-11-25'],
    ['1.0', '2025-11-25'],
    [undefined, '2025-11-25'],
    [5, '2025-11-25'],
  ])('requesting version %j returns %s', async (protocolVersion, agreed) => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const { status, json: body } = await mcp.rpc('initialize', params, { 'MCP-Protocol-Version': 'nonsense' });
    expect([status, body.result?.protocolVersion]).toEqual([200, agreed]);
  });

  test('returns server information and instructions', async () => {
    const { json: body } = await mcp.rpc('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'a', version: 'b' },
    });
    expect(Object.keys(body)).toEqual(['jsonrpc', 'result', 'id']);
    expect(body.result).toEqual({
      protocolVersion: '2025-06-18',
      capabilities: { tools: { listChanged: false }, resources: { listChanged: false, subscribe: false } },
      serverInfo: { name: expect.any(String), title: expect.any(String), version: expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/) },
      instructions: expect.stringMatching(/tools\/list[\s\S]*tools\/call/),
    });
  });
});

describe('MCP-Protocol-Version', () => {
  test.each(['2025-06-18', '2025-03-26', '2024-11-05', '2025-11-25'])('%s is accepted', async (version) => {
    expect((await mcp.rpc('ping', {}, { 'MCP-Protocol-Version': version })).status).toBe(200);
  });

  test('an empty one is treated as absent', async () => {
    const { status, json: body } = await raw('POST', { ...json, 'MCP-Protocol-Version': '' }, ping);
    expect([status, body?.result]).toEqual([200, {}]);
  });

  test('an unknown one is refused with the supported versions', async () => {
    const { json: body } = await mcp.rpc('ping', {}, { 'MCP-Protocol-Version': '2030-01-01' });
    expect(body.error?.message).toBe(
      'MCP-Protocol-Version "2030-01-01" is not supported; use 2025-11-25, 2025-06-18, 2025-03-26 or 2024-11-05, or leave it out.',
    );
  });

  test.each(['2020-01-01', 'nonsense', '2025-06-18, 2025-06-18'])('%j is refused', async (version) => {
    const request = await mcp.rpc('tools/list', {}, { 'MCP-Protocol-Version': version });
    expect([request.status, request.json.error?.code, request.json.id]).toEqual([400, -32600, 1]);
    const notification = await mcp.post(
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { 'MCP-Protocol-Version': version },
    );
    expect(notification.status).toBe(400);
  });
});

describe('Origin, Host and address', () => {
  const forbidden = async (headers: Record<string, string>) => {
    for (const [method, body] of [
      ['POST', ping],
      ['GET', undefined],
      ['DELETE', undefined],
      ['OPTIONS', undefined],
    ] as const) {
      const response = await raw(method, { ...json, ...headers }, body);
      expect([method, response.status, response.json?.id, response.json?.error?.code]).toEqual([method, 403, null, -32600]);
      expect(response.json?.error?.data.reason).toBe('origin_not_allowed');
    }
  };

  test.each(['null', 'https://evil.example', 'http://127.0.0.1:1', 'http://127.0.0.1', 'nonsense'])(
    'the Origin %s is refused',
    (Origin) => forbidden({ Origin }),
  );

  test.each(['evil.example', '127.0.0.1:1', 'evil.example:80', 'localhost.evil.example'])('the Host %s is refused', (Host) =>
    forbidden({ Host }),
  );

  test('the response to a wrong Host or Origin names the settings to change', async () => {
    const messageOf = async (headers: Record<string, string>) =>
      (await raw('POST', { ...json, ...headers }, ping)).json?.error?.message;
    expect(await messageOf({ Host: 'data.example.com' })).toBe(
      'The service is not configured for the host name data.example.com. An operator can set SLUICE_BASE_URL to the address that callers use, or add the host name to SLUICE_ALLOWED_HOSTS.',
    );
    expect(await messageOf({ Origin: 'https://data.example.com' })).toBe(
      'This Origin may not call the service. An operator can allow it with SLUICE_ALLOWED_ORIGINS.',
    );
  });

  test('own names on the service port and configured ones are accepted', async () => {
    const { port } = new URL(service.url);
    for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
      const headers = { Host: `${name}:${port}`, Origin: `http://${name}:${port}` };
      expect([name, (await raw('POST', { ...json, ...headers }, ping)).status]).toEqual([name, 200]);
    }
    expect((await raw('POST', { ...json, Origin: 'https://app.example.com' }, ping)).status).toBe(200);
  });

  test('a page of an allowed Origin can call from a browser', async () => {
    const Origin = 'https://app.example.com';
    const preflight = await raw('OPTIONS', { Origin, 'Access-Control-Request-Method': 'POST' });
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, Origin]);
    expect(preflight.headers['access-control-allow-headers']).toMatch(/MCP-Protocol-Version/i);
    expect((await raw('POST', { ...json, Origin }, ping)).headers['access-control-allow-origin']).toBe(Origin);
  });
});

describe('settings', () => {
  test('every method gets 404 when the gateway is disabled', async () => {
    const off = await startTestService({ SLUICE_MCP: 'off', SLUICE_DEMO: 'off' });
    try {
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS'])
        for (const headers of [{}, { Accept: 'text/html' }, { Accept: 'text/event-stream' }])
          expect([method, (await off.as().call(method, '/mcp', method === 'POST' ? ping : undefined, headers)).status]).toEqual([
            method,
            404,
          ]);
    } finally {
      await off.close();
    }
  });

  test('address ranges apply, to forwarded addresses only from a trusted proxy', async () => {
    const statusFrom = async (settings: Record<string, string>, forwarded: string) => {
      const narrow = await startTestService({
        SLUICE_DEMO: 'off',
        SLUICE_MCP_ALLOW: '10.1.0.0/16, 2001:db8::/32, 192.0.2.7',
        ...settings,
      });
      const { status, json: body } = await mcpOf(narrow).post(ping, { 'X-Forwarded-For': forwarded });
      await narrow.close();
      return [status, body.error?.data.reason];
    };
    expect(await statusFrom({}, '10.1.2.3')).toEqual([403, 'address_not_allowed']);
    const trusted = { SLUICE_TRUSTED_PROXIES: 'loopback' };
    expect(await statusFrom(trusted, '10.1.2.3')).toEqual([200, undefined]);
    expect(await statusFrom(trusted, '2001:db8::5')).toEqual([200, undefined]);
    expect(await statusFrom(trusted, '10.2.2.3')).toEqual([403, 'address_not_allowed']);
    expect(await statusFrom({ SLUICE_MCP_ALLOW: '127.0.0.0/8' }, '10.2.2.3')).toEqual([200, undefined]);
  });
});
