import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportFigure } from '../../support/faults/figure.ts';
import { publish } from '../../support/queries/publish.ts';
import { type List, type TestService, admin, expectStatus, startTestService } from '../../support/services/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const PIN = '7319';
const PINS = 10_000;

/** All file names and contents below the folder of results. */
async function storedResults(): Promise<string> {
  const folder = join(service.folder, 'snapshots');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return [...entries.map(({ name }) => name), ...contents].join('\n');
}

test('a masked value cannot be guessed from the result files on disk, and sharing survives a restart', async () => {
  const root = service.as(admin);
  const query = await publish(root, {
    name: 'By pin',
    sql: 'select range as n from range(50) where @Pin is not null',
    parameters: [{ name: '@Pin', dataType: 'int', required: true, masked: true }],
    cacheSeconds: 600,
  });
  const values = [{ ParameterName: '@Pin', Value: PIN, DataType: 'int' }];
  const run = () => service.as(admin).run(query.queryName, values, { RowSize: '10' });
  const first = await run();
  expect([first.status, first.headers.get('x-cache')]).toEqual([200, 'miss']);
  expect((await run()).headers.get('x-cache')).toBe('hit');
  await service.restart();
  const again = await run();
  expect([again.headers.get('x-cache'), again.json.Data]).toEqual(['hit', first.json.Data]);

  const stored = await storedResults();
  expect(stored).toContain('QD_By_pin_Demo');
  expect(stored).toMatch(/^shared-/m);
  const databases = (
    await expectStatus(root.call<List<{ id: string; name: string; version: number }>>('GET', '/api/v1/databases'), 200)
  ).json;
  const demo = databases.items.find(({ name }) => name === 'Demo');
  const guesses = Array.from({ length: PINS }, (_, pin) =>
    hash('sha256', JSON.stringify([query.id, [['@Pin', String(pin)]]]), 'base64url'),
  );
  const marks = guesses.map((digest) =>
    hash('sha256', JSON.stringify([query.id, query.version, demo?.id, demo?.version, digest]), 'base64url'),
  );
  expect([...guesses, ...marks].filter((each) => stored.includes(each))).toEqual([]);
  reportFigure(29, `${PINS} values of a masked parameter tried against the files of results, none found`);
});
