import { afterAll, beforeEach, expect, it } from 'vitest';
import { fieldsOf, expectSuccess, createNote, openPeople, type People } from '../../test/support/people/people.ts';
import { type Config, readConfig, settings } from '../config/config.ts';
import { createRuntimeSettings } from './settings.ts';

let people: People;
const opened: People[] = [];
const config: Config = readConfig({
  SLUICE_CONFIG: '/dev/null',
  SLUICE_METADATA_URL: 'postgres://u:hush@h/d',
  SLUICE_ROWS_DEFAULT: '100',
});

beforeEach(async () => {
  people = await openPeople();
  opened.push(people);
});
afterAll(() => Promise.all(opened.map((each) => each.close())));

const runtime = (configured = config) => createRuntimeSettings({ config: configured, store: people.store });

it('lists every setting, secrets without values', () => {
  const listed = runtime().list();
  expect(listed.map((each) => each.name)).toEqual(Object.keys(settings));
  expect(listed.find((each) => each.name === 'rowsDefault')).toEqual({
    name: 'rowsDefault',
    key: 'rows.default',
    env: 'SLUICE_ROWS_DEFAULT',
    meaning: settings.rowsDefault.meaning,
    changeable: true,
    secret: false,
    source: 'configured',
    value: 100,
    configured: 100,
    default: 1000,
  });
  expect(listed.find((each) => each.name === 'metadataUrl')).not.toHaveProperty('value');
  expect(JSON.stringify(listed)).not.toContain('hush');
});

it('changes by name or by key, immediately here and after a reload elsewhere', async () => {
  const here = runtime();
  const elsewhere = runtime();
  const note = createNote();
  const listed = expectSuccess(await here.change({ rowsMax: 500, 'query.timeoutSeconds': 5 }, note));
  expect(listed.find((each) => each.name === 'rowsMax')).toMatchObject({ value: 500, configured: 1000 });
  expect(here.current()).toMatchObject({ rowsMax: 500, queryTimeoutSeconds: 5, rowsDefault: 100 });
  expect(note.parameters).toEqual({ rowsMax: { from: 1000, to: 500 }, queryTimeoutSeconds: { from: 60, to: 5 } });
  expect(elsewhere.current().rowsMax).toBe(1000);
  await elsewhere.reload();
  expect(elsewhere.current()).toEqual(here.current());
});

it('resets to the configured value with null', async () => {
  const here = runtime();
  expectSuccess(await here.change({ rowsDefault: 7 }, createNote()));
  expectSuccess(await here.change({ rowsDefault: null }, createNote()));
  expect(here.current().rowsDefault).toBe(100);
  expect(await people.store.settings.readAll()).toEqual({});
});

it('reports the source of each value', async () => {
  const here = runtime();
  const sources = () => Object.fromEntries(here.list().map(({ name, source }) => [name, source]));
  expect(sources()).toMatchObject({
    rowsDefault: 'configured',
    rowsMax: 'default',
    metadataUrl: 'configured',
    metricsToken: 'default',
  });
  expectSuccess(await here.change({ rowsMax: 50 }, createNote()));
  expect(sources()).toMatchObject({ rowsDefault: 'configured', rowsMax: 'changed' });
  expectSuccess(await here.change({ rowsMax: null }, createNote()));
  expect(sources()).toMatchObject({ rowsMax: 'default' });
});

it('rejects unknown, fixed, secret, invalid and duplicate settings, and then changes nothing', async () => {
  const here = runtime();
  const wanted = { nonsense: 1, port: 1, metadataUrl: 'x', ratePerKey: -1, rowsMax: 900, 'rows.max': 900, toString: 1 };
  expect(fieldsOf(await here.change(wanted, createNote()))).toEqual([
    'nonsense',
    'toString',
    'port',
    'metadataUrl',
    'ratePerKey',
    'rows.max',
  ]);
  expect(here.current()).toEqual(config);
  expect(await people.store.settings.readAll()).toEqual({});
});

it('keeps the default Row Size within the maximum', async () => {
  const here = runtime();
  expectSuccess(await here.change({ 'rows.max': 99 }, createNote()));
  expect(here.current()).toMatchObject({ rowsDefault: 99, rowsMax: 99 });
  expectSuccess(await here.change({ rowsMax: null }, createNote()));
  expect(here.current()).toMatchObject({ rowsDefault: 100, rowsMax: 1000 });
  expect(fieldsOf(await here.change({ rowsDefault: 1001 }, createNote()))).toEqual(['rowsDefault']);
  expectSuccess(await here.change({ rowsDefault: 2000, rowsMax: 2000 }, createNote()));
});

it('ignores stored values that are no longer valid', async () => {
  await people.store.settings.set('rows.max', 'many');
  await people.store.settings.set('server.port', 1);
  await people.store.settings.set('rows.default', 900);
  const here = runtime({ ...config, rowsMax: 500 });
  await here.reload();
  expect(here.current()).toMatchObject({ rowsMax: 500, rowsDefault: 500, port: config.port });
});
