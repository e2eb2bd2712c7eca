import type { Setting } from '../../app/api-types.ts';
import { bytesText } from '../../components/bytes-text.ts';
import { settingNames } from './setting-names.ts';

export type { Setting };

/** A value as in sluice.yaml. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return String(value);
}

export const titleOf = ({ name, key }: Pick<Setting, 'name' | 'key'>): string => settingNames[name]?.title ?? key;

export const sentenceOf = ({ name, meaning }: Pick<Setting, 'name' | 'meaning'>): string =>
  settingNames[name]?.sentence ?? `${meaning}.`;

/** A readable size: 1073741824 becomes 1.1 GB. */
export const sizeText = ({ meaning, value }: Setting): string | null =>
  typeof value === 'number' && /^bytes\b/.test(meaning) ? bytesText(value) : null;

/** Splits a text with `code` in it into parts. */
export const textParts = (text: string): readonly { readonly text: string; readonly isCode: boolean }[] =>
  text
    .split('`')
    .map((part, index) => ({ text: index === 0 ? part.charAt(0).toUpperCase() + part.slice(1) : part, isCode: index % 2 === 1 }))
    .filter((part) => part.text !== '');

export const isFound = (setting: Setting, search: string): boolean =>
  [setting.name, setting.key, setting.env, setting.meaning, titleOf(setting), sentenceOf(setting)]
    .join(' ')
    .toLowerCase()
    .includes(search.trim().toLowerCase());
