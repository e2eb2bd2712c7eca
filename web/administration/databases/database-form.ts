import type { DatabaseChange, NewDatabase, UnsavedDatabase } from '../../app/api-types.ts';
import { engineOf } from '../../app/engine-of.ts';
import type { Database } from '../../app/wire.ts';
import { settingsFrom, type SettingValues, settingValues } from './setting-values.ts';

/** The values of the form, with the fields of all engines. */
export interface DatabaseValues {
  readonly name: string;
  readonly kind: string;
  readonly description: string;
  readonly disabled: boolean;
  readonly writable: boolean;
  readonly connection: {
    readonly file: string;
    readonly host: string;
    readonly port: number | string; // '': the default port
    readonly user: string;
    readonly password: string; // '': keep the stored password
    readonly withoutPassword: boolean; // removes the stored password
    readonly database: string;
    readonly tls: Tls;
  };
  readonly settings: SettingValues;
}

interface Tls {
  readonly mode: 'default' | 'off' | 'on'; // default: by the host
  readonly ca: string;
  readonly servername: string;
  readonly isUnchecked: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

export function toDatabaseValues(database: Database | null): DatabaseValues {
  const connection = database?.connection ?? {};
  return {
    name: database?.name ?? '',
    kind: database?.kind ?? 'postgres',
    description: database?.description ?? '',
    disabled: database?.disabled ?? false,
    writable: database?.writable ?? false,
    connection: {
      file: text(connection.file),
      host: text(connection.host),
      port: numberOr(connection.port),
      user: text(connection.user),
      password: '',
      withoutPassword: false,
      database: text(connection.database),
      tls: tlsValues(
        database === null ? 'default' : connection.tls === undefined || connection.tls === false ? 'off' : 'on',
        connection.tls,
      ),
    },
    settings: settingValues(database?.settings ?? {}),
  };
}

export const toNewDatabaseBody = (values: DatabaseValues): NewDatabase => ({
  name: values.name.trim(),
  kind: values.kind,
  connection: { ...connectionOf(values), ...passwordOf(values) },
  settings: settingsOf(values),
  description: values.description,
  disabled: values.disabled,
  writable: values.writable,
});

/** Only the changed fields: the service keeps the password if no part of the connection is sent. */
export function toDatabaseChange(database: Database, values: DatabaseValues): DatabaseChange {
  const before = toDatabaseValues(database);
  const { name, description, disabled, writable } = values;
  const connection = connectionChange(database, values);
  const settings = settingsChange(database, values);
  return {
    ...selectDiffering(before, { name: name.trim(), description, disabled, writable }),
    ...(Object.keys(connection).length === 0 ? {} : { connection }),
    ...(Object.keys(settings).length === 0 ? {} : { settings: { ...database.settings, ...settings } }),
  };
}

/** The whole connection and its settings: the stored fields, overridden by the typed ones. */
export const toUnsavedDatabase = (database: Database | null, values: DatabaseValues): UnsavedDatabase => ({
  ...(database === null ? {} : { id: database.id }),
  ...(values.name.trim() === '' ? {} : { name: values.name.trim() }),
  kind: values.kind,
  connection:
    database === null
      ? { ...connectionOf(values), ...passwordOf(values) }
      : { ...database.connection, ...connectionChange(database, values) },
  settings: database === null ? settingsOf(values) : { ...database.settings, ...settingsChange(database, values) },
  writable: values.writable,
});

/** Whether the service will require the password again. */
export const asksForPassword = (database: Database | null, values: DatabaseValues): boolean =>
  database !== null &&
  values.connection.password === '' &&
  !values.connection.withoutPassword &&
  Object.keys(connectionChange(database, values)).length > 0;

/** The form's name of a field that the service names in an error. */
export const toFormField = (field: string): string =>
  field.replace(/^connection\.tls(?!\.(ca|servername)$).*$/, 'connection.tls.mode').replace(/^(settings\.[^.]+)\..*$/, '$1');

const connectionChange = (database: Database, values: DatabaseValues): Fields => ({
  ...selectChanged(connectionOf(toDatabaseValues(database)), connectionOf(values), null),
  ...passwordOf(values),
});

/** Settings without a field in the form are kept, as are those whose field did not change. */
const settingsChange = (database: Database, values: DatabaseValues): Fields =>
  selectChanged(settingsOf(toDatabaseValues(database)), settingsOf(values), undefined);

function selectChanged(before: Fields, after: Fields, cleared: null | undefined): Fields {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isSame(before[name], after[name]),
  );
  return Object.fromEntries(names.map((name) => [name, after[name] ?? cleared]));
}

function connectionOf({ kind, connection }: DatabaseValues): Fields {
  if (engineOf(kind).connection === 'file') return { file: connection.file.trim() };
  const { host, port, user, database, tls } = connection;
  return {
    ...selectFilled({ host: host.trim(), port, user: user.trim(), database: database.trim() }),
    ...(isTlsOn({ connection }) ? { tls: tlsOf(tls) } : {}),
  };
}

function passwordOf({ kind, connection: { password, withoutPassword } }: DatabaseValues): Fields {
  if (engineOf(kind).connection === 'file') return {};
  if (withoutPassword) return { password: null };
  return password === '' ? {} : { password };
}

const settingsOf = ({ kind, settings }: DatabaseValues): Fields => settingsFrom(engineOf(kind).settings, settings);

/** The default for a new connection: on, unless it stays on one machine. */
export const isTlsOn = ({ connection: { host, tls } }: Pick<DatabaseValues, 'connection'>): boolean =>
  tls.mode === 'default' ? !isLocalHost(host) : tls.mode === 'on';

export const isLocalHost = (host: string): boolean =>
  /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host.trim());

function tlsValues(mode: Tls['mode'], tls: unknown): Tls {
  const { ca, servername, rejectUnauthorized } = isFields(tls) ? tls : {};
  return {
    mode,
    ca: text(ca),
    servername: text(servername),
    isUnchecked: rejectUnauthorized === false,
  };
}

function tlsOf({ ca, servername, isUnchecked }: Tls): true | Fields {
  const more = selectFilled({ ca: ca.trim() === '' ? '' : ca, servername: servername.trim() });
  const fields = { ...more, ...(isUnchecked ? { rejectUnauthorized: false } : {}) };
  return Object.keys(fields).length === 0 ? true : fields;
}

const selectDiffering = (before: DatabaseValues, after: Fields): Fields =>
  Object.fromEntries(Object.entries(after).filter(([name, value]) => Reflect.get(before, name) !== value));

const selectFilled = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '' && value !== undefined));

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberOr = (value: unknown): number | string => (typeof value === 'number' ? value : '');
