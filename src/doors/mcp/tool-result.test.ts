import { expect, it } from 'vitest';
import type { ProtocolVersion } from './protocol.ts';
import { toolResult } from './tool-result.ts';

const link = { type: 'resource_link', uri: 'http://x/', name: 'a.csv', mimeType: 'text/csv', size: 1, description: '' } as const;
const newest: ProtocolVersion = {
  isStateless: false,
  hasBatches: false,
  hasResourceLinks: true,
  hasToolErrors: true,
  hasCancelNotifications: true,
};
const oldest: ProtocolVersion = { ...newest, hasResourceLinks: false, hasToolErrors: false };
function parsed(json: string, protocolVersion = newest) {
  const [asText, asBytes] = [json, Buffer.from(json)].map((each) =>
    toolResult('an id "of" text', { json: each, links: [link] }, protocolVersion).toString(),
  );
  expect(asBytes).toBe(asText);
  return JSON.parse(asText ?? '');
}

it.each([
  '{}',
  '{"Data":[{"a":"b\\"c\\\\d\\n\\u0001","ü":"💧 </script>"}],"QueryMoreCode":null}',
  '{\n  "nested": [\n\t1,\r\n 2 ]}',
  `{"wide":"${'\\"'.repeat(100_000)}"}`,
])('contains the same JSON as text and as structured content', (json) => {
  expect(parsed(json)).toEqual({
    jsonrpc: '2.0',
    result: { content: [{ type: 'text', text: json }, link], structuredContent: JSON.parse(json), isError: false },
    id: 'an id "of" text',
  });
});

it('escapes control characters', () => {
  const text = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join('');
  const bytes = toolResult(1, { json: Buffer.from(text) }, oldest).toString();
  expect(JSON.parse(bytes.slice(0, bytes.indexOf(',"structuredContent"')).concat('}}')).result.content[0].text).toBe(text);
});

it('omits links for clients that do not support them', () => {
  expect(parsed('{}', oldest).result.content).toEqual([{ type: 'text', text: '{}' }]);
});

it('contains its type and the server in the stateless version', () => {
  expect(parsed('{}', { ...newest, isStateless: true }).result).toMatchObject({
    resultType: 'complete',
    structuredContent: {},
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'sluice' } },
  });
});
