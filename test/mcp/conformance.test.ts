import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installedPrograms } from '../support/programs.ts';
import { startTestService, type TestService } from '../support/services/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const CONFORMANCE = join(await installedPrograms(), '@modelcontextprotocol/conformance/dist/index.js');
const EXPECTED = join(import.meta.dirname, 'expected-failures.yaml');

test('the official conformance suite reports only features that are not offered', { timeout: 180_000 }, async () => {
  const words = [
    'server',
    '--url',
    `${service.url}/mcp`,
    '--suite',
    'all',
    '--spec-version',
    '2025-11-25',
    '--expected-failures',
    EXPECTED,
  ];
  const { code, printed } = await run(words);
  expect(code, printed).toBe(0);
  for (const scenario of ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'])
    expect(printed).toMatch(new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`));
});

function run(words: readonly string[]): Promise<{ code: number | null; printed: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [CONFORMANCE, ...words], { maxBuffer: 1 << 24 }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, printed: stdout + stderr }),
    );
  });
}
