import { expect, test } from 'vitest';
import { clients } from './clients.ts';

const url = 'http://127.0.0.1:8080/mcp';

test.each(clients.map((client) => [client.label, client] as const))(
  '%s gets the address, and the key only in the header, by a variable',
  (_, client) => {
    expect(client.write(url, 'header')).toContain(url);
    expect(client.write(url, 'header')).toContain('X-API-Key');
    expect(client.write(url, 'argument')).toContain(url);
    expect(client.write(url, 'header')).toMatch(/SLUICE_API_KEY|sluice-key/);
    expect(client.write(url, 'argument')).not.toMatch(/API.KEY|sluice-key/i);
  },
);

test.each(['claude-desktop', 'cursor', 'vs-code'])('writes valid JSON for %s', (id) => {
  const client = clients.find((each) => each.id === id);
  expect(() => JSON.parse(client?.write(url, 'header') ?? '')).not.toThrow();
  expect(() => JSON.parse(client?.write(url, 'argument') ?? '')).not.toThrow();
});

test('passes --allow-http to mcp-remote only for plain http to another host', () => {
  const desktop = clients.find(({ id }) => id === 'claude-desktop');
  expect(desktop?.write(url, 'header')).not.toContain('--allow-http');
  expect(desktop?.write('https://sluice.example/mcp', 'header')).not.toContain('--allow-http');
  expect(desktop?.write('http://sluice.example/mcp', 'header')).toContain('--allow-http');
});
