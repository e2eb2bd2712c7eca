import type { FileFormat } from '../../src/core/file-format.ts';
import type { DataLink, SentParameter, Session } from '../app/wire.ts';

/** An address that returns the rows of a query. */
export interface DataAddress {
  readonly url: string;
  readonly format: FileFormat;
  readonly isLink: boolean; // false: the reader sends a credential
}

/** The address for readers who send their own credential. Null has no form in an address and is left out. */
export function ownAddress(
  { baseUrl }: Pick<Session, 'baseUrl'>,
  queryName: string,
  format: FileFormat,
  values: Readonly<Record<string, SentParameter['Value']>>,
): DataAddress {
  const search = Object.entries(values).flatMap(([name, value]) =>
    [value].flat().flatMap((each) => (each === null ? [] : [`${encode(name.replace(/^@/, ''))}=${encode(String(each))}`])),
  );
  const path = `${baseUrl}/data/${encode(queryName)}.${format}`;
  return { url: search.length === 0 ? path : `${path}?${search.join('&')}`, format, isLink: false };
}

/** The address of a link; null for the link of another user. */
export const linkAddress = ({ url, format }: Pick<DataLink, 'url' | 'format'>): DataAddress | null =>
  url === null ? null : { url, format, isLink: true };

/** The name of the file at the end of an address. */
export const fileNameOf = ({ url }: DataAddress): string => decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '');

/** Also encodes what shells and formulas treat as quotes or patterns. */
const encode = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
