import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readOpenApi } from '../support/http/openapi.ts';
import { createKey } from '../support/people/accounts.ts';
import { findTestedBlocks } from '../support/repository/markdown.ts';
import { npm } from '../support/repository/npm.ts';
import { hasShell, runBlocks } from '../support/repository/shell-blocks.ts';
import { readText, root } from '../support/repository/source-files.ts';
import { admin, startTestService, type TestService } from '../support/services/service.ts';

// The OpenAPI document in a project with the tools of a client.

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

let project: string;
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'sluice-openapi-client-'));
  await cp(join(root, 'test/openapi-client'), project, { recursive: true });
  await npm(project, 'ci', '--ignore-scripts', '--prefer-offline');
}, 300_000);
afterAll(() => rm(project, { recursive: true, force: true }));

test.each([{}, { SLUICE_EDITION: 'standard', SLUICE_MCP: 'off', SLUICE_DEMO: 'off' }])(
  'the document passes the recommended rules of Redocly without a warning, with the settings %j',
  async (settings) => {
    const linted = await startTestService(settings);
    try {
      expect(await lint(project, await readOpenApi(linted.url))).toEqual([]);
    } finally {
      await linted.close();
    }
  },
);

test('the rules refuse a document with an operation that has no name', async () => {
  const document = await readOpenApi(service.url);
  const { operationId: _, ...nameless } = document.paths['/livez']?.get ?? {};
  const broken = { ...document, paths: { ...document.paths, '/livez': { get: nameless } } };
  expect(await lint(project, broken)).toEqual(['warn operation-operationId #/paths/~1livez/get/operationId']);
});

test.skipIf(!hasShell())(
  'the client of docs/api.md is generated, passes the type check and runs a query (needs bash)',
  async () => {
    const api = readText('docs/api.md');
    const client = /^`client\.mts`:\n\n```ts\n([\s\S]*?)```/m.exec(api)?.[1] ?? '';
    await writeFile(join(project, 'client.mts'), client);
    const blocks = findTestedBlocks(api).map(({ script }) => script);
    const runs = await runBlocks([`cd ${project}`, ...blocks], {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      SLUICE: service.url,
      KEY: (await createKey(service.as(admin))).key,
    });
    expect(runs.map(({ code, printed }) => (code === 0 ? '' : printed))).toEqual(['', ...blocks.map(() => '')]);
    expect(runs.at(-1)?.printed).toContain('Central Europe');
  },
);

interface LintProblem {
  readonly severity: string;
  readonly ruleId: string;
  readonly location: readonly { readonly pointer: string }[];
}

/** The problems that Redocly, as installed in a project, finds in a document. */
async function lint(project: string, content: unknown): Promise<readonly string[]> {
  await writeFile(join(project, 'openapi.json'), JSON.stringify(content));
  const cli = join(project, 'node_modules/@redocly/cli/bin/cli.js');
  const args = [cli, 'lint', 'openapi.json', '--extends', 'recommended', '--format', 'json'];
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: project, env });
  const { problems }: { problems: readonly LintProblem[] } = JSON.parse(stdout);
  return problems.map(({ severity, ruleId, location }) => `${severity} ${ruleId} ${location[0]?.pointer}`);
}
