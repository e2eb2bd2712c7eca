import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { installPrograms } from '../support/programs.ts';
import { startTestService, type TestService } from '../support/services/service.ts';

let service: TestService;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  service = await startTestService();
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const CONFORMANCE = join(await installPrograms(), '@modelcontextprotocol/conformance/dist/index.js');

/** Reasons by scenario by version. */
const expected: Record<string, Record<string, string>> = parse(
  await readFile(join(import.meta.dirname, 'expected-failures.yaml'), 'utf8'),
);

test.each([
  ['2025-11-25', ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection']],
  ['2026-07-28', ['tools-list', 'resources-list', 'sep-2164-resource-not-found', 'dns-rebinding-protection']],
])('the conformance suite for %s reports only features that are not offered', { timeout: 180_000 }, async (version, passing) => {
  const scenarios = Object.entries(expected[version] ?? {});
  expect(scenarios.filter(([, reason]) => reason.length < 10)).toEqual([]);
  const list = join(folder, `${version}.yaml`);
  await writeFile(list, stringify({ server: scenarios.map(([name]) => name) }));
  const words = ['--url', `${service.url}/mcp`, '--suite', 'all', '--spec-version', version, '--expected-failures', list];
  const { code, printed } = await run(['server', ...words]);
  expect(code, printed).toBe(0);
  for (const scenario of passing) expect(printed).toMatch(new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`));
});

function run(words: readonly string[]): Promise<{ code: number | null; printed: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [CONFORMANCE, ...words],
      { maxBuffer: 1 << 24, cwd: folder },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, printed: stdout + stderr }),
    );
  });
}
