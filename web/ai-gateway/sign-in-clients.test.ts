import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { signInClients } from './sign-in-clients.ts';

const url = 'https://sluice.example.com/mcp/oauth';
const docs = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'mcp-oauth.md'), 'utf8');

test.each(signInClients.map((client) => [client.label, client] as const))(
  '%s is in the documentation, with the same text to copy and without a key',
  (label, client) => {
    const row = docs.split('\n').find((line) => line.startsWith(`| ${label} `) || line.startsWith(`| ${label} (`)) ?? '';
    const text = client.write(url);
    expect(row).not.toBe('');
    if (text === null) return;
    expect(row).toContain(text.startsWith('{') ? JSON.stringify(JSON.parse(text)).replace(/([:,])(?=["{])/g, '$1 ') : text);
    expect(text).not.toMatch(/key/i);
  },
);
