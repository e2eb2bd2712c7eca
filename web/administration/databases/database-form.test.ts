import { describe, expect, test } from 'vitest';
import { engineOf } from '../../app/engine-of.ts';
import type { Database } from '../../app/wire.ts';
import {
  asksForPassword,
  type DatabaseValues,
  toDatabaseChange,
  toUnsavedDatabase,
  toDatabaseValues,
  toFormField,
  toNewDatabaseBody,
} from './database-form.ts';
import { settingProblems } from './setting-values.ts';

const trino: Database = {
  id: '1',
  name: 'Lake',
  kind: 'trino',
  description: '',
  version: 1,
  connection: { host: 'lake', port: 8443, user: 'reader', database: 'sales', tls: { ca: 'PEM', rejectUnauthorized: false } },
  settings: { session: { query_priority: '1' }, timeZone: 'Europe/Berlin' },
  disabled: false,
  writable: false,
  builtIn: false,
  createdAt: '2026-01-01T00:00:00.000Z',
};
const file: Database = { ...trino, kind: 'duckdb', connection: { file: 'a.duckdb' }, settings: { threads: 2 } };

describe('a change', () => {
  test('sends no field that did not change', () => {
    for (const database of [trino, file]) expect(toDatabaseChange(database, toDatabaseValues(database))).toEqual({});
  });

  test('sends the changed fields, and null for a cleared one', () => {
    const values = toDatabaseValues(trino);
    const change = toDatabaseChange(trino, {
      ...values,
      name: ' Lake house ',
      connection: {
        ...values.connection,
        host: 'lake2',
        port: '',
        password: 'secret',
        tls: { ...values.connection.tls, mode: 'off' },
      },
      settings: { ...values.settings, session: '', schema: 'public' },
    });
    expect(change).toEqual({
      name: 'Lake house',
      connection: { host: 'lake2', port: null, password: 'secret', tls: null },
      settings: { schema: 'public', timeZone: 'Europe/Berlin' },
    });
  });

  test('keeps settings that have no field in the form', () => {
    const values = toDatabaseValues(file);
    const change = toDatabaseChange(file, { ...values, connection: { ...values.connection, file: 'b.duckdb' } });
    expect(change).toEqual({ connection: { file: 'b.duckdb' } });
  });

  test('sends the compression of ClickHouse, and removes the setting when it is automatic', () => {
    const change = (stored: Database, settings: DatabaseValues['settings']) =>
      toDatabaseChange(stored, { ...toDatabaseValues(stored), settings: { ...toDatabaseValues(stored).settings, ...settings } })
        .settings;
    const clickhouse = { ...trino, kind: 'clickhouse', settings: { compression: false } };
    expect(toDatabaseValues(clickhouse).settings.compression).toBe('false');
    expect(change(clickhouse, { compression: 'true' })).toEqual({ compression: true });
    expect(change(clickhouse, { compression: '' })).toEqual({});
  });

  test('can remove the password', () => {
    const values = toDatabaseValues(trino);
    expect(toDatabaseChange(trino, { ...values, connection: { ...values.connection, withoutPassword: true } })).toEqual({
      connection: { password: null },
    });
  });

  test('of the host requires the password again', () => {
    const values = toDatabaseValues(trino);
    const moved = { ...values, connection: { ...values.connection, host: 'elsewhere' } };
    expect(asksForPassword(trino, values)).toBe(false);
    expect(asksForPassword(trino, { ...values, description: 'Text' })).toBe(false);
    expect(asksForPassword(trino, moved)).toBe(true);
    expect(asksForPassword(trino, { ...moved, connection: { ...moved.connection, password: 'secret' } })).toBe(false);
    expect(asksForPassword(null, moved)).toBe(false);
  });
});

test('a new database has only the fields of its engine', () => {
  const values = toDatabaseValues(null);
  const connection = {
    ...values.connection,
    host: ' db ',
    user: 'reader',
    database: 'sales',
    file: 'left over',
    password: 'secret',
  };
  expect(toNewDatabaseBody({ ...values, name: 'Sales', connection })).toEqual({
    name: 'Sales',
    kind: 'postgres',
    connection: { host: 'db', user: 'reader', database: 'sales', password: 'secret', tls: true },
    settings: {},
    description: '',
    disabled: false,
    writable: false,
  });
  expect(toNewDatabaseBody({ ...values, kind: 'sqlite', connection }).connection).toEqual({ file: 'left over' });
});

test('switches TLS on for a new connection to another machine, and leaves existing ones unchanged', () => {
  const values = toDatabaseValues(null);
  const tlsTo = (host: string, mode = values.connection.tls.mode) =>
    toNewDatabaseBody({ ...values, connection: { ...values.connection, host, tls: { ...values.connection.tls, mode } } })
      .connection.tls;
  expect(['db.example.org', '10.0.0.7', 'localhost.example'].map((host) => tlsTo(host))).toEqual([true, true, true]);
  expect(['localhost', '127.0.0.1', '::1'].map((host) => tlsTo(host))).toEqual([undefined, undefined, undefined]);
  expect([tlsTo('db.example.org', 'off'), tlsTo('localhost', 'on')]).toEqual([undefined, true]);
  const plain = { ...trino, connection: { host: 'lake', port: 8080, user: 'reader', database: 'sales' } };
  expect(toDatabaseChange(plain, toDatabaseValues(plain))).toEqual({});
  expect(toUnsavedDatabase(plain, toDatabaseValues(plain)).connection).toEqual(plain.connection);
});

test('sends TLS as true if it has no further settings', () => {
  const values = toDatabaseValues(null);
  const connectionWith = (tls: object) =>
    toNewDatabaseBody({ ...values, connection: { ...values.connection, tls: { ...values.connection.tls, mode: 'on', ...tls } } })
      .connection;
  expect(connectionWith({})).toEqual({ tls: true });
  expect(connectionWith({ servername: 'db', isUnchecked: true })).toEqual({
    tls: { servername: 'db', rejectUnauthorized: false },
  });
});

test('testing an edited database sends the whole connection without the stored password', () => {
  const values = toDatabaseValues(trino);
  expect(toUnsavedDatabase(trino, values)).toMatchObject({
    id: '1',
    kind: 'trino',
    connection: trino.connection,
    settings: trino.settings,
  });
  const changed = { ...values, connection: { ...values.connection, host: 'b', password: 'secret' } };
  expect(toUnsavedDatabase(trino, changed).connection).toEqual({ ...trino.connection, host: 'b', password: 'secret' });
});

test('maps errors of the service to fields of the form', () => {
  expect(
    ['connection.host', 'connection.tls', 'connection.tls.ca', 'connection.tls.rejectUnauthorized', 'settings.session.a b'].map(
      toFormField,
    ),
  ).toEqual(['connection.host', 'connection.tls.mode', 'connection.tls.ca', 'connection.tls.mode', 'settings.session']);
});

test('reports a session property without a value', () => {
  const problems = (session: string) => settingProblems(engineOf('trino').settings, { session });
  expect(problems('a=1\n\nb = 2')).toEqual({});
  expect(problems('a=1\nb')).toEqual({ 'settings.session': 'Expected name=value, found “b”.' });
});
