import { Buffer } from 'node:buffer';
import type { SqlType } from '../../core/sql-value.ts';
import { castMoment } from './cast-moment.ts';
import { castDecimal, castFloat, castInteger } from './cast-number.ts';
import { type CastResult, castSucceeded, quote, castFailed } from './cast-result.ts';

/** Casts text to the canonical text of its type, see `BoundValue`. Nothing but floats is rounded or truncated. */
export function castValue(text: string, type: SqlType): CastResult {
  if (text.includes('\0'))
    return castFailed('The value contains a NUL character, which databases cannot store in text. Remove it.');
  if (!text.isWellFormed()) return invalidUnicode;
  if (type.name === 'text') return checkLength(text, type.length);
  const trimmed = text.trim();
  if (trimmed === '') return castFailed(`An empty value is not a ${nouns[type.name]}. Send null for NULL.`);
  switch (type.name) {
    case 'integer':
      return castInteger(trimmed, type);
    case 'decimal':
      return castDecimal(trimmed, type);
    case 'float':
      return castFloat(trimmed, type);
    case 'bit':
      return castBit(trimmed);
    case 'uuid':
      return castUuid(trimmed);
    case 'json':
      return castJson(trimmed);
    case 'binary':
      return castBinary(trimmed, type.length);
    default:
      return castMoment(trimmed, type.name);
  }
}

const invalidUnicode = castFailed('The value is not valid Unicode (a lone surrogate). Correct its encoding.');

/** Casts to the type that was sent; the result must also fit the declared type of the same family. */
export function castTo(text: string, sent: SqlType, declared: SqlType): CastResult {
  const cast = castValue(text, sent);
  if (!cast.ok || sent === declared) return cast; // spelled identically
  // canonical base64 may begin with 0x and must not be decoded again
  if (sent.name === 'binary' && declared.name === 'binary') return checkBytes(Buffer.from(cast.value, 'base64'), declared.length);
  return castValue(cast.value, declared);
}

const nouns: Readonly<Record<Exclude<SqlType['name'], 'text'>, string>> = {
  integer: 'number',
  decimal: 'number',
  float: 'number',
  bit: 'bit',
  date: 'date',
  datetime: 'date and time',
  datetimeoffset: 'date and time',
  time: 'time',
  uuid: 'uuid',
  json: 'JSON value',
  binary: 'binary value',
};

function checkLength(text: string, length: number | undefined): CastResult {
  if (length === undefined || text.length <= length) return castSucceeded(text);
  const characters = Array.from(text).length;
  return characters <= length ? castSucceeded(text) : castFailed(`The text has ${characters} characters, ${length} are allowed.`);
}

function castBit(text: string): CastResult {
  const lower = text.toLowerCase();
  if (lower === '1' || lower === 'true') return castSucceeded('true');
  if (lower === '0' || lower === 'false') return castSucceeded('false');
  return castFailed(`${quote(text)} is not a bit. Send 1, 0, true or false.`);
}

function castUuid(text: string): CastResult {
  const bare = /^\{.*\}$/.test(text) ? text.slice(1, -1) : text;
  const match = /^([0-9a-f]{8})(-?)([0-9a-f]{4})\2([0-9a-f]{4})\2([0-9a-f]{4})\2([0-9a-f]{12})$/i.exec(bare);
  if (match === null) return castFailed(`${quote(text)} is not a uuid. Write it as 123e4567-e89b-12d3-a456-426614174000.`);
  const [, first, , second, third, fourth, fifth] = match;
  return castSucceeded([first, second, third, fourth, fifth].join('-').toLowerCase());
}

function castJson(text: string): CastResult {
  try {
    JSON.parse(text);
  } catch {
    return castFailed(`${quote(text)} is not valid JSON. A text needs its double quotes.`);
  }
  // an escaped surrogate is valid JSON, but databases refuse one without its pair
  const decoded = text.replace(/\\(?:u(d[89a-f][0-9a-f]{2})|.)/gi, (_, unit?: string) =>
    unit === undefined ? ' ' : String.fromCharCode(Number.parseInt(unit, 16)),
  );
  return decoded.isWellFormed() ? castSucceeded(text) : invalidUnicode;
}

/** Base64, or hexadecimal digits after 0x. */
function castBinary(text: string, length: number | undefined): CastResult {
  if (/^0x(?:[0-9a-f]{2})*$/i.test(text)) return checkBytes(Buffer.from(text.slice(2), 'hex'), length);
  const bytes = Buffer.from(text, 'base64');
  // Buffer ignores invalid characters: accept only text that it encodes back to the same
  const same = bytes.toString('base64').replace(/={1,2}$/, '') === text.replace(/={1,2}$/, '');
  if (!same) return castFailed(`${quote(text)} is not base64. Send base64, or hexadecimal digits after 0x.`);
  return checkBytes(bytes, length);
}

function checkBytes(bytes: Buffer, length: number | undefined): CastResult {
  if (length !== undefined && bytes.length > length) {
    return castFailed(`The value has ${bytes.length} bytes, ${length} are allowed.`);
  }
  return castSucceeded(bytes.toString('base64'));
}
