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

/** The reason for each expected failure, by version and scenario. */
const expectedFailures: Record<string, Record<string, string>> = parse(
  await readFile(join(import.meta.dirname, 'expected-failures.yaml'), 'utf8'),
);

test.each([
  ['2025-11-25', ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection']],
  ['2026-07-28', ['tools-list', 'resources-list', 'sep-2164-resource-not-found', 'dns-rebinding-protection']],
])(
  'fails only the scenarios of the conformance suite for %s whose features are not offered',
  { timeout: 180_000 },
  async (version, passing) => {
    const scenarios = Object.entries(expectedFailures[version] ?? {});
    expect(scenarios.filter(([, reason]) => reason.length < 10)).toEqual([]);
    const list = join(folder, `${version}.yaml`);
    await writeFile(list, stringify({ server: scenarios.map(([name]) => name) }));
    const args = ['--url', `${service.url}/mcp`, '--suite', 'all', '--spec-version', version, '--expected-failures', list];
    const { code, output } = await runConformance(['server', ...args]);
    expect(code, output).toBe(0);
    for (const scenario of passing) expect(output).toMatch(new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`));
  },
);

function runConformance(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [CONFORMANCE, ...args],
      { maxBuffer: 1 << 24, cwd: folder },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, output: stdout + stderr }),
    );
  });
}
