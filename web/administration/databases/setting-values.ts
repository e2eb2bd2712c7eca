import type { SettingField } from '../../../src/catalog/engine.ts';
import { engines } from '../../app/engines.ts';

/** The typed values of settings, by name. The form has the settings of all engines; an empty text is the default. */
export type SettingValues = Readonly<Record<string, string | number>>;

type Fields = Readonly<Record<string, unknown>>;

export const settingValues = (settings: Fields): SettingValues =>
  Object.fromEntries(engines.flatMap((engine) => engine.settings.map((field) => [field.name, toTypedValue(field, settings)])));

function toTypedValue({ name, input }: SettingField, settings: Fields): string | number {
  const value = settings[name];
  if (value === undefined) return '';
  if (input === 'options') return String(value);
  if (input === 'properties') return propertiesText(value);
  return typeof value === 'string' || typeof value === 'number' ? value : '';
}

/** The values that the service takes, without those that are the default. */
export const settingsFrom = (fields: readonly SettingField[], values: SettingValues): Fields =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const value = toSentValue(field, values[field.name] ?? '');
      return value === undefined ? [] : [[field.name, value]];
    }),
  );

function toSentValue({ input, options = [] }: SettingField, typed: string | number): unknown {
  const text = String(typed).trim();
  if (text === '') return undefined;
  if (input === 'options') return options.find(({ value }) => String(value) === text)?.value;
  if (input === 'properties') return propertiesOf(text);
  return input === 'number' ? typed : text;
}

/** What is wrong with the typed values, by field of the form. */
export const settingProblems = (fields: readonly SettingField[], values: SettingValues): Readonly<Record<string, string>> =>
  Object.fromEntries(
    fields.flatMap(({ name, input }) => {
      const wrong = input === 'properties' && linesOf(String(values[name] ?? '')).find((line) => !/^[^=]+=/.test(line));
      return wrong ? [[`settings.${name}`, `Expected name=value, found “${wrong}”.`]] : [];
    }),
  );

const propertiesText = (properties: unknown): string =>
  typeof properties === 'object' && properties !== null
    ? Object.entries(properties)
        .map(([name, value]) => `${name}=${String(value)}`)
        .join('\n')
    : '';

const propertiesOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    linesOf(text).map((line) => {
      const at = line.indexOf('=');
      return at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );

/** Trimmed, without empty ones. */
const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
