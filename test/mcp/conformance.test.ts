import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { freePort } from '../support/http/free-port.ts';
import { createApplication, decide, openBrowser, openConsent } from '../support/people/oauth.ts';
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

// The suite authenticates no client with a secret where public clients are supported, and its scenarios for clients test the SDK.
test.each(['2025-11-25', '2026-07-28'])(
  'passes every scenario of the conformance suite for authorization servers of %s',
  { timeout: 180_000 },
  async (version) => {
    const port = await freePort();
    const { clientId } = await createApplication(service, { redirect_uris: [`http://127.0.0.1:${port}/callback`] });
    const issuer = `${service.url}/mcp/oauth`;
    const args = [
      '--url',
      issuer,
      '--resource',
      issuer,
      '--client-id',
      clientId,
      '--port',
      String(port),
      '--spec-version',
      version,
    ];
    const browser = await openBrowser(service);
    const allow = async (address: string): Promise<void> => {
      await fetch(await decide(service, browser, await openConsent(browser, address)));
    };
    const { code, output } = await runConformance(['authorization', ...args], allow);
    expect(code, output).toBe(0);
    for (const scenario of ['authorization-server-metadata-endpoint: 2', 'authorization-code-grant: 1'])
      expect(output).toContain(`✓ ${scenario} passed, 0 failed`);
    expect(output).not.toMatch(/[1-9]\d* (warning|skipped)/i);
  },
);

/** Suites for authorization servers print the address that a person has to open, which is passed to `open`. */
function runConformance(
  args: readonly string[],
  open?: (address: string) => Promise<void>,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [CONFORMANCE, ...args],
      { maxBuffer: 1 << 24, cwd: folder },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, output: stdout + stderr }),
    );
    if (open === undefined) return;
    let printed = '';
    const watch = (piece: string): void => {
      printed += piece;
      const [address] = /^http\S+\/authorize\?\S+(?=\s)/m.exec(printed) ?? [];
      if (address === undefined) return;
      child.stdout?.off('data', watch);
      open(address).catch((error: unknown) => {
        child.kill();
        reject(error);
      });
    };
    child.stdout?.on('data', watch);
  });
}
