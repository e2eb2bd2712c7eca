import { familyOf, parseSqlType } from '../../src/catalog/sql-type.ts';
import type { QueryParameter } from '../app/wire.ts';
import { listOf, type ParameterValues, selectSendable } from '../components/parameters/parameter-values.ts';

/** The values of a form as an object in TypeScript; null if there is nothing to send. */
export function writeParameters(parameters: readonly QueryParameter[], values: ParameterValues): string | null {
  const sent = selectSendable(parameters).flatMap((parameter) => {
    const value = writeValue(parameter, values[parameter.name]);
    return value === null ? [] : [`${propertyName(parameter.name.replace(/^@/, ''))}: ${value}`];
  });
  return sent.length === 0 ? null : `{ ${sent.join(', ')} }`;
}

/** A masked value is not shown: callers fill it in, like a required one that the form lacks. */
function writeValue(parameter: QueryParameter, value: string | null | undefined): string | null {
  const { required, masked = false, multiple = false, default: fallback, dataType } = parameter;
  const isShown = value !== undefined && (value === null || !masked);
  if (!isShown && (!required || fallback !== undefined)) return null;
  if (isShown && value === null) return 'null';
  const texts = !isShown || value === null ? [sampleOf(parameter)] : multiple ? listOf(value) : [value];
  const literals = texts.map((text) => writeText(text, dataType));
  return multiple ? `[${literals.join(', ')}]` : (literals[0] ?? null);
}

/** A value of the type of a parameter. */
function sampleOf({ name, dataType, values = [] }: QueryParameter): string {
  const type = parseSqlType(dataType);
  const sample = type === null ? undefined : samples[familyOf(type)];
  return values[0] ?? sample ?? `<${name.replace(/^@/, '')}>`;
}

const samples: Readonly<Record<string, string>> = {
  number: '0',
  bit: 'false',
  date: 'today',
  time: '00:00:00',
  uuid: '00000000-0000-0000-0000-000000000000',
  json: '{}',
  binary: '',
};

/** In the type that the OpenAPI document declares. A number that a JSON number would round is a string. */
function writeText(text: string, dataType: string): string {
  const type = parseSqlType(dataType);
  const family = type === null ? 'text' : familyOf(type);
  if (family === 'bit') return String(text === '1' || text.toLowerCase() === 'true');
  return family === 'number' && isExactNumber(text) ? String(Number(text)) : quote(text);
}

const SAFE_DIGITS = 15;

const isExactNumber = (text: string): boolean =>
  text.trim() !== '' && Number.isFinite(Number(text)) && text.replaceAll(/\D/g, '').length <= SAFE_DIGITS;

const propertyName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name));

/** A string literal of TypeScript. */
export const quote = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
