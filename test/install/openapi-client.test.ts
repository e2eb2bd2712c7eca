import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ClientGenerator, clientGenerators, type CodedQuery } from '../../web/client-code/client-generators.ts';
import { readOpenApi } from '../support/http/openapi.ts';
import { createKey } from '../support/people/accounts.ts';
import { publish } from '../support/queries/publish.ts';
import { findTestedBlocks } from '../support/repository/markdown.ts';
import { npm } from '../support/repository/npm.ts';
import { hasShell, runBlocks } from '../support/repository/shell-blocks.ts';
import { readText, root } from '../support/repository/source-files.ts';
import { admin, expectStatus, startTestService, type TestService } from '../support/services/service.ts';

// The OpenAPI document in a project with the tools of a client.

// compilers are slow on a busy machine
vi.setConfig({ testTimeout: 180_000 });

const run = promisify(execFile);

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
    expect(await runDocument('docs/api.md')).toContain('Central Europe');
  },
);

describe('the document of a caller', () => {
  const rowsOf = (more: string) => ({
    name: 'Many rows',
    sql: `select n::integer as n, 'row ' || n as label${more} from range(100000) r(n)`,
  });

  test('passes the recommended rules of Redocly; it has no license, because its queries are of their authors', async () => {
    const { json } = await service.as(admin).call('GET', '/api/v1/openapi.json');
    expect(await lint(project, json)).toEqual(['warn info-license #/info']);
  });

  test.skipIf(!hasShell())(
    'the clients of docs/clients.md are generated, pass the type check and run queries (needs bash)',
    async () => {
      const printed = await runDocument('docs/clients.md');
      expect(printed).toContain('Lisboa');
      expect(printed).toContain('Central Europe 1590477.67');
      expect(printed).toContain('version 1 from /api/query/execute/QD_Customers_Demo@1');
    },
  );

  test('a typed program reads 100,000 rows in pages, and does not compile once a column that it reads is removed', async () => {
    const root = service.as(admin);
    const { id, queryName } = await publish(root, rowsOf(', n * 2 as doubled'));
    await writeFile(join(project, 'many.mts'), manyRows(queryName));
    await generateTypes();
    expect(await check('many.mts')).toBe('');
    const { key } = await createKey(root);
    const env = { ...process.env, SLUICE: service.url, KEY: key };
    const { stdout } = await run(process.execPath, ['many.mts'], { cwd: project, env });
    expect(JSON.parse(stdout)).toEqual({ rows: 100_000, sum: 4_999_950_000, doubled: 9_999_900_000, pages: 100 });

    await expectStatus(root.call('PATCH', `/api/v1/queries/${id}`, rowsOf('')), 200);
    for (const move of ['validate', 'activate']) await expectStatus(root.call('POST', `/api/v1/queries/${id}/${move}`), 200);
    await generateTypes();
    expect(await check('many.mts')).toContain("Property 'doubled' does not exist on type");
  });

  describe('the program of the web interface, for a query with unusual names and values', () => {
    const values = {
      ...{ '@Größe': `it's "L"`, '@Top': '2500', '@Price': '1.50' },
      ...{ '@From': 'today', '@Open': 'true', '@Years': '["2026"]' },
    };
    let query: CodedQuery;
    let key: string;
    beforeAll(async () => {
      const root = service.as(admin);
      const parameters = [
        { name: '@Größe', dataType: 'nvarchar(10)', required: true, values: [values['@Größe'], 'S'] },
        { name: '@Top', dataType: 'bigint', required: true },
        { name: '@Price', dataType: 'decimal(38,2)', required: false },
        { name: '@From', dataType: 'date', required: true },
        { name: '@Open', dataType: 'bit', required: true },
        { name: '@Years', dataType: 'int', required: false, multiple: true },
      ];
      const sql = `select @Größe as "Größe's \\", @Price as price, n as class from range(@Top) r(n)
        where @From is not null and @Open and 2026 in (@Years)`;
      const { id } = await publish(root, { name: 'Grüße 数据 2026', sql, parameters });
      query = (await root.call<CodedQuery>('GET', `/api/v1/queries/${id}`)).json;
      ({ key } = await createKey(root, { name: 'Code' }));
    });

    test.skipIf(!hasShell()).each<ClientGenerator>([...clientGenerators])(
      'passes the type check and reads all pages, with a client of $label (needs bash)',
      async ({ generate, program }) => {
        const [command, config] = generate(service.url).toReversed();
        if (config !== undefined) await writeFile(join(project, config.label), config.text);
        const { label, text } = program(query, values, service.url);
        await writeFile(join(project, label), text);
        const runs = await runBlocks([`cd ${project}\n${command?.text ?? ''}`, `node ${label} | sort | uniq -c`], {
          PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
          SLUICE_API_KEY: key,
        });
        expect(runs.map(({ code, printed }) => (code === 0 ? '' : printed))).toEqual(['', '']);
        expect(runs[1]?.printed.trim()).toBe(`2500 it's "L" 1.5`);
        expect(await check(label)).toBe('');
      },
    );
  });

  async function generateTypes(): Promise<void> {
    const { text } = await service.as(admin).call('GET', '/api/v1/openapi.json');
    await writeFile(join(project, 'many.json'), text);
    const cli = join(project, 'node_modules/openapi-typescript/bin/cli.js');
    await run(process.execPath, [cli, 'many.json', '-o', 'many.d.ts'], { cwd: project });
  }

  /** What the compiler finds in a program. */
  async function check(file: string): Promise<string> {
    const tsc = join(project, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--allowImportingTsExtensions', '--types', 'node'];
    const args = [tsc, ...options, file];
    return run(process.execPath, args, { cwd: project }).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    );
  }
});

const manyRows = (queryName: string): string => `
import createClient from 'openapi-fetch';
import type { paths } from './many.d.ts';
const { SLUICE = '', KEY = '' } = process.env;
const sluice = createClient<paths>({ baseUrl: SLUICE, headers: { 'X-API-Key': KEY } });
const read = { rows: 0, sum: 0, doubled: 0, pages: 0 };
let next: { rowIndex?: number; queryMoreCode?: string | null } = {};
do {
  const { data: page, error } = await sluice.POST('/api/query/execute/${queryName}', { body: { rowSize: 1000, ...next } });
  if (error) throw new Error(error.code + ': ' + error.detail);
  for (const { n, label, doubled } of page.data) {
    if (n === null || label !== 'row ' + n) throw new Error('not the row ' + n);
    read.rows += 1;
    read.sum += n;
    read.doubled += Number(doubled);
  }
  read.pages += 1;
  next = { rowIndex: page.nextRowIndex, queryMoreCode: page.queryMoreCode };
} while (next.queryMoreCode !== null);
console.log(JSON.stringify(read));
`;

/** Writes the files that a document shows, runs its tested blocks, and returns what they print. */
async function runDocument(path: string): Promise<string> {
  const document = readText(path);
  for (const [, file = '', content = ''] of document.matchAll(/^`([\w.-]+\.m[jt]s)`[^\n]*:\n\n```[jt]s\n([\s\S]*?)```/gm))
    await writeFile(join(project, file), content);
  const blocks = findTestedBlocks(document).map(({ script }) => script);
  const { key } = await createKey(service.as(admin));
  const runs = await runBlocks([`cd ${project}`, ...blocks], {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    SLUICE: service.url,
    ...{ KEY: key, SLUICE_API_KEY: key },
  });
  expect(runs.map(({ code, printed }) => (code === 0 ? '' : printed))).toEqual(['', ...blocks.map(() => '')]);
  return runs.map(({ printed }) => printed).join('\n');
}

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
  const { stdout } = await run(process.execPath, args, { cwd: project, env });
  const { problems }: { problems: readonly LintProblem[] } = JSON.parse(stdout);
  return problems.map(({ severity, ruleId, location }) => `${severity} ${ruleId} ${location[0]?.pointer}`);
}
