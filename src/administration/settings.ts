import { isDeepStrictEqual } from 'node:util';
import { findClosestName, quoteName, suggestName } from '../catalog/closest-name.ts';
import { type Config, parseSetting, type SettingName, settings } from '../config/config.ts';
import { type FieldProblem, failed, inputRefused, type Result, succeeded } from '../core/errors.ts';
import type { MetadataStore, Repositories } from '../store/metadata-store.ts';
import type { AuditNote } from './change.ts';

export interface RuntimeSettingsParts {
  readonly config: Config;
  readonly store: Pick<MetadataStore, 'settings' | 'transaction'>;
}

export type RuntimeSettings = ReturnType<typeof createRuntimeSettings>;

/** Callers must have checked the permission `settings.manage` before `change`. */
export function createRuntimeSettings({ config, store }: RuntimeSettingsParts) {
  let inEffect = config;
  let changed: Partial<Config> = {};
  const take = (stored: Stored): void => {
    changed = overrides(stored);
    inEffect = overrideConfig(config, changed);
  };
  const list = () => names.map((name) => settingView(name, config, inEffect, name in changed));
  return {
    /** The settings in effect: overrides from the store win over file and environment. Cheap enough for every call. */
    current: (): Config => inEffect,
    /** Rereads the overrides, so that replicas agree. Rejects with the store's error, and changes nothing then. */
    reload: async (): Promise<void> => take(await store.settings.readAll()),
    list,
    /** By name or by key in sluice.yaml; null resets to the configured value. Applies all changes or none. */
    async change(wanted: Readonly<Record<string, unknown>>, note: AuditNote) {
      const parsed = parseChanges(wanted);
      if (!parsed.ok) return parsed;
      const written = await store.transaction((repositories) => write(repositories, config, parsed.value));
      if (!written.ok) return written;
      const before = inEffect;
      take(written.value);
      note.parameters = differences(parsed.value, before, inEffect);
      return succeeded(list());
    },
  };
}

type Stored = Readonly<Record<string, unknown>>; // by key in sluice.yaml

const names = Object.keys(settings) as SettingName[];
const isChangeable = (name: SettingName): boolean => settings[name].changeable === true;

/** A change of one setting; an undefined `value` removes the override. */
interface Change {
  readonly field: string; // as it was sent
  readonly name: SettingName;
  readonly value: unknown;
}

function parseChanges(wanted: Readonly<Record<string, unknown>>): Result<readonly Change[]> {
  const changes: Change[] = [];
  const problems: FieldProblem[] = [];
  for (const [field, value] of Object.entries(wanted)) {
    const change = parseChange(field, value);
    if ('message' in change) problems.push(change);
    else if (changes.some((each) => each.name === change.name)) problems.push({ field, message: 'This setting is sent twice.' });
    else changes.push(change);
  }
  return problems.length > 0 ? failed(inputRefused(problems)) : succeeded(changes);
}

function parseChange(field: string, value: unknown): Change | FieldProblem {
  const folded = field.toLowerCase();
  const name = names.find((each) => each.toLowerCase() === folded || settings[each].key.toLowerCase() === folded);
  if (name === undefined) {
    const advice = suggestName(findClosestName(field, names), names);
    return { kind: 'FieldUnknown', field, message: `There is no setting ${quoteName(field)}. ${advice}` };
  }
  if (!isChangeable(name))
    return { field, message: `It cannot be changed while the service runs. Set ${settings[name].env} and restart.` };
  if (value === null) return { field, name, value: undefined };
  const parsed = parseSetting(name, value);
  return parsed.ok ? { field, name, value: parsed.value } : { field, message: toSentence(parsed.message) };
}

async function write(repositories: Repositories, config: Config, changes: readonly Change[]): Promise<Result<Stored>> {
  const stored = { ...(await repositories.settings.readAll()) };
  for (const { name, value } of changes) stored[settings[name].key] = value;
  const wanted = { ...config, ...overrides(stored) };
  const cause = changes.find(({ name, value }) => name === 'rowsDefault' && value !== undefined);
  if (cause !== undefined && wanted.rowsDefault > wanted.rowsMax) {
    const message = `It must not be larger than rowsMax (${wanted.rowsMax}).`;
    return failed({ kind: 'FieldInvalid', problems: [{ field: cause.field, message }] });
  }
  for (const { name, value } of changes) await repositories.settings.set(settings[name].key, value);
  return succeeded(stored);
}

function overrideConfig(config: Config, changed: Partial<Config>): Config {
  const merged: Config = { ...config, ...changed };
  // lowering the maximum alone lowers the default as well
  return Object.freeze({ ...merged, rowsDefault: Math.min(merged.rowsDefault, merged.rowsMax) });
}

/** Ignores stored values that are not valid or whose setting is not changeable. */
function overrides(stored: Stored): Partial<Config> {
  const found = names.filter(isChangeable).flatMap((name) => {
    const value = stored[settings[name].key];
    const parsed = value === undefined ? null : parseSetting(name, value);
    return parsed?.ok ? [[name, parsed.value] as const] : [];
  });
  return Object.fromEntries(found);
}

export type SettingView = ReturnType<typeof settingView>;

/** A secret is listed without its values. */
function settingView(name: SettingName, config: Config, inEffect: Config, isChanged: boolean) {
  const { key, env, meaning, fallback, secret = false } = settings[name];
  // of the value in effect: the code, the settings file or environment, or a change at runtime
  const source = isChanged ? 'changed' : isDeepStrictEqual(config[name], fallback) ? 'default' : 'configured';
  const view = { name, key, env, meaning, changeable: isChangeable(name), secret, source } as const;
  return secret ? view : { ...view, value: inEffect[name], configured: config[name], default: fallback };
}

const differences = (changes: readonly Change[], from: Config, to: Config): Record<string, unknown> =>
  Object.fromEntries(changes.map(({ name }) => [name, { from: from[name], to: to[name] }]));

const toSentence = (message: string): string => `${message.charAt(0).toUpperCase()}${message.slice(1)}.`.replace('..', '.');
