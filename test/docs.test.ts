import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoQueries } from '../demo/catalog.ts';
import { permissions, seedRoles } from '../src/access/permission.ts';
import { technicalName } from '../src/catalog/technical-name.ts';
import { readConfig, settings } from '../src/config/config.ts';
import { engines } from '../src/connectors/engines.ts';
import { failureTable } from '../src/core/errors.ts';
import { tools } from '../src/doors/mcp/tool-list.ts';
import {
  findBrokenLinks,
  findMissingFiles,
  documents,
  shows,
  tableRow,
  tableRows,
  findTestedBlocks,
} from './support/repository/markdown.ts';
import { hasShell, runBlocks } from './support/repository/shell-blocks.ts';
import { filesBelow, readText } from './support/repository/source-files.ts';
import { ADMIN_PASSWORD, startTestService, type TestService } from './support/services/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

describe('docs/configuration.md', () => {
  const document = readText('docs/configuration.md');

  test.each(Object.values(settings))('documents $env as in the table of settings', (setting) => {
    const { env, key, fallback, meaning, changeable = false } = setting;
    const [, documentedKey, documentedDefault, documentedMeaning, documentedChange] = tableRow(document, `\`${env}\``) ?? [];
    expect(documentedKey).toBe(`\`${key}\``);
    expect(documentedDefault).toBe(shownDefault(fallback));
    expect(documentedMeaning?.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')).toBe(meaning);
    expect(documentedChange).toBe(changeable ? 'yes' : 'no');
  });

  test('has a valid example', async () => {
    const example = /```yaml\n([\s\S]*?)```/.exec(document)?.[1] ?? '';
    const file = join(service.files, 'example.yaml');
    await writeFile(file, example);
    expect(readConfig({ SLUICE_CONFIG: file })).toMatchObject({ port: 8443, demo: false, rowsMax: 5000 });
  });

  test('documents no unknown setting', () => {
    const known = [...Object.values(settings).map(({ env }) => env), 'SLUICE_CONFIG'];
    expect([...document.matchAll(/SLUICE_[A-Z0-9_]+/g)].map(([name]) => name).filter((name) => !known.includes(name))).toEqual(
      [],
    );
  });
});

describe('docs/errors.md', () => {
  const document = readText('docs/errors.md');
  const failures = Object.values(failureTable);

  test.each(failures)('documents $code with its status and a remedy', ({ code, status }) => {
    const [, documentedStatus, meaning, remedy] = tableRow(document, `\`${code}\``) ?? [];
    expect(documentedStatus).toBe(String(status));
    expect(meaning).toBeTruthy();
    expect(remedy).toBeTruthy();
  });

  test('documents no unknown code', () => {
    const documented = tableRows(document).flatMap(([cell = '', status = '']) =>
      /^\d{3}$/.test(status) ? [cell.replaceAll('`', '')] : [],
    );
    expect(documented.filter((name) => !failures.some(({ code }) => code === name))).toEqual([]);
  });
});

describe('docs/api.md and docs/operations.md', () => {
  const api = readText('docs/api.md');
  const written = api + readText('docs/operations.md');
  const documented = [...written.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/[^`?\s]*)/g)].map(([, route = '']) => route);

  test('document exactly the routes of a running service', async () => {
    const { json } = await service.as().call<{ paths: Record<string, Record<string, unknown>> }>('GET', '/openapi.json');
    const served = Object.entries(json.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(served.filter((route) => !documented.includes(route))).toEqual([]);
    expect(documented.filter((route) => !served.includes(route))).toEqual([]);
  });

  test.each(permissions)('explain the permission %s', (permission) => {
    expect(tableRow(api, `\`${permission}\``)?.[1]).toBeTruthy();
  });

  test.each(seedRoles)('document the permissions of the role $name', ({ name, permissions: granted }) => {
    const all = granted.length === permissions.length;
    expect(tableRow(api, name)?.[1]).toBe(all ? 'all' : granted.map((each) => `\`${each}\``).join(', '));
  });
});

describe('docs/connectors.md', () => {
  const document = readText('docs/connectors.md');

  test.each(engines)('lists $kind with its connection and what keeps a query from writing', (engine) => {
    const { kind, label, testedOnly, connection } = engine;
    const [, documentedConnection, mechanism, details] = tableRow(document, `\`${kind}\``) ?? [];
    expect(documentedConnection).toBe(connection === 'file' ? '`{file}`' : '`{host, port, user, password, database, tls}`');
    expect(mechanism).toBeTruthy();
    expect(details).toBe(`[${label}](connectors/${kind}.md)${testedOnly === undefined ? '' : ', *experimental*'}`);
  });

  test.each(engines)('has a page on $kind with its default port and its settings', ({ kind, connection, settings }) => {
    const page = readText(`docs/connectors/${kind}.md`);
    expect(page).toContain(`kind \`${kind}\``);
    if (connection !== 'file') expect(page).toContain(String(connection.port));
    expect(settings.filter(({ name }) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  test('lists no unknown engine', () => {
    const listed = tableRows(document).flatMap(([cell = '']) => /^`(\w+)`$/.exec(cell)?.[1] ?? []);
    expect(listed).toEqual(engines.map(({ kind }) => kind));
  });
});

describe('docs/mcp.md', () => {
  const document = readText('docs/mcp.md');

  test.each(tools)('documents the tool $name with its arguments and its result', ({ name, arguments: declared, output }) => {
    const [, documentedArguments = '', answer = ''] = tableRow(document, `\`${name}\``) ?? [];
    const listed = Object.entries(declared).filter(([, { unlisted }]) => unlisted !== true);
    const spelled = listed.map(([each, { required, listedAsRequired }]) =>
      required || listedAsRequired === true ? `**\`${each}\`**` : `\`${each}\``,
    );
    for (const each of spelled) expect(documentedArguments).toContain(each);
    expect(documentedArguments.match(/\*\*/g)?.length ?? 0).toBe(spelled.filter((each) => each.startsWith('*')).length * 2);
    const refersToAnother = /the same|the fields of/.test(answer);
    if (!refersToAnother) for (const each of Object.keys(output.properties ?? {})) expect(answer).toContain(each);
    expect(answer).not.toBe('');
  });

  test('documents no unknown tool', () => {
    const documented = tableRows(document).flatMap(([cell = '']) => /^`([a-z]+_[a-z_]+)`$/.exec(cell)?.[1] ?? []);
    expect(documented).toEqual(tools.map(({ name }) => name));
  });

  test.each([...new Set(Object.values(failureTable).map(({ rpc }) => rpc))])('documents the code %i with a remedy', (code) => {
    const [, meaning, remedy] = tableRow(document, String(code)) ?? [];
    expect(meaning).toBeTruthy();
    expect(remedy).toBeTruthy();
  });
});

// a section of another project may list a package again, in another version
describe.each([
  { folder: '.', part: 0 },
  { folder: 'test/openapi-client', part: 1 },
  { folder: 'test/programs', part: 2 },
])('docs/dependencies.md on the project $folder', ({ folder, part }) => {
  const section = readText('docs/dependencies.md').split(/## (?:Client project|Programs of tests)\n/)[part] ?? '';
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(readText(`${folder}/package.json`));
  const wanted: Record<string, string> = { ...dependencies, ...optionalDependencies, ...devDependencies };
  const lockfile = readText(`${folder}/package-lock.json`);
  const { packages } = JSON.parse(lockfile);

  test.each(Object.entries(wanted))('explains %s, and its version is exact', (name, version) => {
    const [, purpose, reason, license] = tableRow(section, `\`${name}\``) ?? [];
    expect(purpose).toBeTruthy();
    expect(reason).toBeTruthy();
    expect(license).toBe(packages[`node_modules/${name}`].license);
    expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
    expect(packages[`node_modules/${name}`].version).toBe(version);
  });

  test('names no package that is not a dependency', () => {
    const named = tableRows(section).flatMap(([cell = '']) => /^`(.+)`$/.exec(cell)?.[1] ?? []);
    expect(named.filter((name) => !Object.hasOwn(wanted, name))).toEqual([]);
  });

  test('the lockfile contains no registry addresses', () => {
    expect(lockfile).not.toMatch(/"resolved"|https?:\/\/[^"]*\.tgz/);
  });
});

describe('docs/spec.md', () => {
  const document = readText('docs/spec.md');
  const sections = [...document.matchAll(/^#{2,3} (\d+(?:\.\d+)?)\.? /gm)].map(([, number = '']) => number);
  const sources = ['src', 'web', 'test', 'bench', 'demo'].flatMap((folder) => filesBelow(folder, (path) => /\.tsx?$/.test(path)));

  test('has every section cited by the code', () => {
    const cited = sources.flatMap((path) =>
      [...readText(path).matchAll(/docs\/spec\.md (\d[\d., and]*)/g)].flatMap(([, numbers = '']) =>
        (numbers.match(/\d+(?:\.\d+)?/g) ?? []).map((number) => ({ path, number })),
      ),
    );
    expect(cited.length).toBeGreaterThan(5);
    expect(cited.filter(({ number }) => !sections.includes(number))).toEqual([]);
  });

  test('is cited by its path', () => {
    const short = sources.filter((path) => /(?<!docs\/)\bspec(?:\.md)?(?: section)? \d/i.test(readText(path)));
    expect(short).toEqual([]);
  });

  test('shows the default of every setting that it lists as a limit', () => {
    const listed = tableRows(document).flatMap(([, value, cell = '']) => {
      const env = /^`(SLUICE_\w+)`$/.exec(cell)?.[1];
      return env === undefined ? [] : [[env, value]];
    });
    const defaults = Object.values(settings).map(({ env, fallback }) => [env, String(fallback)]);
    expect(listed.length).toBeGreaterThan(5);
    expect(listed).toEqual(listed.map(([env]) => defaults.find(([known]) => known === env)));
  });
});

describe('docs/adr', () => {
  const index = readText('docs/adr/README.md');
  const records = filesBelow('docs/adr', (path) => path.endsWith('.md') && !path.endsWith('README.md')).map((path) => {
    const file = path.slice('docs/adr/'.length);
    return { file, number: Number(/^(\d{4})-[a-z0-9-]+\.md$/.exec(file)?.[1]), text: readText(path) };
  });

  test('numbers the records from 1, without a gap or a duplicate', () => {
    expect(records.map(({ number }) => number)).toEqual(records.map((_, at) => at + 1));
  });

  test.each(records)('lists $file in the README with its title, status and date', ({ file, number, text }) => {
    const [, numbered, title] = /^# (\d+)\. (.+)\n/.exec(text) ?? [];
    const [, status, date] = statusLine.exec(text) ?? [];
    expect(numbered).toBe(String(number));
    expect(status, 'the line Status: … · YYYY-MM-DD under the title').toBeTruthy();
    expect(tableRow(index, String(number))).toEqual([String(number), `[${title}](${file})`, status, date]);
  });

  test('lists no record that does not exist', () => {
    const listed = tableRows(index).flatMap(([cell = '']) => (/^\d+$/.test(cell) ? [Number(cell)] : []));
    expect(listed).toEqual(records.map(({ number }) => number));
  });
});

describe('names and versions in texts', () => {
  const technical = (name: string): string => technicalName('QD', name, 'Demo').toLowerCase();
  const known = new Set(demoQueries.map(({ name }) => technical(name)));
  const isText = (path: string): boolean => /\.tsx?$/.test(path) && !/\.test\.tsx?$|api-types|example-query/.test(path);
  const texts = [...documents(), ...['web', 'src/doors'].flatMap((folder) => filesBelow(folder, isText)), 'src/core/errors.ts'];

  test('every technical name is that of a demo query, or of one that the text creates', () => {
    const unknown = (name: string, text: string): boolean =>
      !known.has(name.toLowerCase()) &&
      ![...text.matchAll(/"name": "([^"]+)"/g)].some(([, created = '']) => technical(created) === name.toLowerCase());
    const named = texts.flatMap((path) =>
      readText(path)
        .split('\n')
        .filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line))
        .flatMap((line) => [...line.matchAll(/\bQD_[\p{L}\p{N}_]+/giu)].map(([name]) => ({ path, name }))),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter(({ path, name }) => unknown(name, readText(path)))).toEqual([]);
  });

  test('no shell example uses a variable that the shell itself sets', () => {
    const own = /\$\{?(?:USER|LOGNAME|HOME|PATH|PWD|HOSTNAME|HOST|NAME|SHELL|TERM|LANG|UID|RANDOM|SECONDS)\b/;
    const blocks = documents().flatMap((path) =>
      [...readText(path).matchAll(/```(?:sh|bash|shell)\n([\s\S]*?)```/g)].map(([, block = '']) => ({ path, block })),
    );
    expect(blocks.length).toBeGreaterThan(10);
    expect(blocks.filter(({ block }) => own.test(block))).toEqual([]);
  });

  test('the README starts, tests and tests the system with one line each', () => {
    const readme = readText('README.md');
    for (const command of ['npm ci && npm start', 'npm ci && npm test', 'npm run test:system'])
      expect(readme).toContain(`\`\`\`sh\n${command}\n\`\`\``);
    expect(readme.split('\n').length).toBeLessThan(200);
  });

  test('docs/mcp.md names the version of the Inspector that the tests use, and the Node that it needs', () => {
    const { packages } = JSON.parse(readText('test/programs/package-lock.json'));
    const { version, engines } = packages['node_modules/@modelcontextprotocol/inspector'];
    const [, least] = /^>=(\d+\.\d+)\.\d+$/.exec(engines.node) ?? [];
    const document = readText('docs/mcp.md');
    expect(document).toContain(`@modelcontextprotocol/inspector@${version}`);
    expect(document).toContain(`Version ${version} of the Inspector, with which the tests run, needs Node ${least} or later`);
  });
});

test.each(documents())('%s has no broken link and names no missing source file', (path) => {
  expect(findBrokenLinks(path)).toEqual([]);
  expect(findMissingFiles(path)).toEqual([]);
});

test.skipIf(!hasShell()).each(['README.md', 'docs/tutorial.md'])(
  'the commands of %s work as shown (needs bash and curl)',
  async (path) => {
    const blocks = findTestedBlocks(readText(path));
    expect(blocks.length).toBeGreaterThan(5);
    const runs = await runBlocks(
      blocks.map(({ script }) => script),
      { SLUICE: service.url, PASSWORD: ADMIN_PASSWORD },
    );
    for (const [index, { script, status, shown }] of blocks.entries()) {
      const run = runs[index];
      expect(run?.code, `${script}\n${run?.printed}`).toBe(0);
      expect(run?.statuses.length, script).toBeGreaterThan(0);
      const expected = (got: number): boolean => (status === 200 ? got < 300 : got === status);
      expect(
        run?.statuses.filter((got) => !expected(got)),
        `${script}\n${run?.printed}`,
      ).toEqual([]);
      if (shown !== null) expect(shows(run?.printed ?? '', shown), `${run?.printed}\n\nis not\n\n${shown}`).toBe(true);
    }
  },
);

/** The status line of a decision record, described in docs/adr/README.md. */
const statusLine =
  /^# .+\n\nStatus: (accepted|(?:accepted, amended|superseded) by \[ADR \d+\]\(\d{4}-[a-z0-9-]+\.md\)) · (\d{4}-\d{2}-\d{2})\n\n/;

function shownDefault(value: unknown): string {
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? '`on`' : '`off`';
  if (Array.isArray(value)) return value.length === 0 ? 'empty' : `\`${value.join(':')}\``;
  return `\`${String(value)}\``;
}

describe('docs/threat-model.md', () => {
  const named = readText('docs/threat-model.md').match(/`(?:src|test)\/[^`*]+\.ts`/g) ?? [];
  test('names existing tests', () => {
    expect(named.length).toBeGreaterThan(40);
    expect(named.map((name) => name.slice(1, -1)).filter((file) => !existsSync(file))).toEqual([]);
  });
});
