import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { readConfig } from '../src/config/config.ts';
import { startService } from '../src/main.ts';
import { engineDescriptions } from './generate-engines.ts';

/**
 * Generates app/api-types.ts from the OpenAPI document of a temporary service, and app/engines.ts from the list of engines. Run
 * `node web/generate-api-types.ts` after changing a route, its schema or an engine. A test fails if a file is out of date.
 */

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly summary?: string;
  readonly parameters?: readonly { in: string; name: string; required?: boolean; description?: string; schema: Schema }[];
  readonly requestBody?: { readonly content?: Content };
  readonly responses?: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Schema {
  readonly $ref?: string;
  readonly readOnly?: boolean;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}

/** One interface, `'GET /api/v1/queries'` → what it takes and what it returns, and a type for each named schema. */
export function apiTypes({ paths, components: { schemas = {} } = {} }: OpenApiDocument): string {
  const called = Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ method, path, operation })));
  const operations = called.map(({ method, path, operation }) => operationType(method, path, operation));
  const used = new Set<string>();
  for (const { operation } of called) {
    const { parameters, requestBody } = operation;
    addReferences([parameters, requestBody, successOf(operation)], schemas, used);
  }
  const named = Object.entries(schemas).flatMap(([name, schema]) => (used.has(name) ? [namedType(name, schema)] : []));
  return `// Generated from the OpenAPI document by web/generate-api-types.ts. Do not edit.

export interface Operations {
${operations.join('\n')}
}
${named.join('')}`;
}

/** A request refuses other fields than those of its schema; a response may get further ones. */
const namedType = (name: string, schema: Schema): string =>
  `\nexport type ${name} = ${typeOf(schema, schema.additionalProperties === false ? 'input' : 'output', 0)};\n`;

const SCHEMAS = '#/components/schemas/';

/** Adds the names of the schemas that a part of the document refers to, and of those that they refer to. */
function addReferences(part: unknown, schemas: Readonly<Record<string, Schema>>, used: Set<string>): void {
  for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (used.has(name)) continue;
    used.add(name);
    addReferences(schemas[name], schemas, used);
  }
}

function operationType(method: string, path: string, operation: Operation): string {
  const comment = operation.summary === undefined ? '' : `  /** ${operation.summary} */\n`;
  const parts = [
    ['params', parameterType(operation, 'path')],
    ['query', parameterType(operation, 'query')],
    ['headers', parameterType(operation, 'header')],
    ['body', schemaOf(operation.requestBody?.content, 'input')],
    ['response', responseType(operation)],
  ];
  const fields = parts.flatMap(([name, type]) => (type === null ? [] : [`    ${name}: ${type};`]));
  return `${comment}  '${method.toUpperCase()} ${path}': {\n${fields.join('\n')}\n  };`;
}

function parameterType({ parameters = [] }: Operation, place: string): string | null {
  const those = parameters.filter((each) => each.in === place);
  if (those.length === 0) return null;
  const properties = Object.fromEntries(
    those.map(({ name, schema, description }) => [name, description === undefined ? schema : { ...schema, description }]),
  );
  const required = those.filter((each) => each.required === true || place === 'path').map(({ name }) => name);
  return objectType({ type: 'object', properties, required }, 'input', 2);
}

const successOf = ({ responses = {} }: Operation) => Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];

function responseType(operation: Operation): string {
  const success = successOf(operation);
  return schemaOf(success?.content, 'output') ?? (success === undefined || success.content !== undefined ? 'unknown' : 'null');
}

function schemaOf(content: Content | undefined, side: Side): string | null {
  const schema = content?.['application/json']?.schema;
  return schema === undefined ? null : typeOf(schema, side, 2);
}

/** In a request, an optional field may also be undefined; in a response, it is present or absent. */
type Side = 'input' | 'output';

function typeOf(schema: Schema, side: Side, depth: number): string {
  const choices = schema.anyOf ?? schema.oneOf;
  if (schema.$ref !== undefined) return schema.$ref.slice(SCHEMAS.length);
  if (schema.const !== undefined) return JSON.stringify(schema.const).replaceAll('"', "'");
  if (schema.enum !== undefined) return union(schema.enum.map((each) => (typeof each === 'string' ? `'${each}'` : String(each))));
  if (choices !== undefined) return union(choices.map((each) => typeOf(each, side, depth)));
  if (schema.allOf !== undefined) return schema.allOf.map((each) => typeOf(each, side, depth)).join(' & ');
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type }, side, depth)));
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return `readonly ${parenthesise(schema.items === undefined ? 'unknown' : typeOf(schema.items, side, depth))}[]`;
    case 'object':
      return objectType(schema, side, depth);
    default:
      return 'unknown';
  }
}

function objectType(schema: Schema, side: Side, depth: number): string {
  const properties = Object.entries(schema.properties ?? {}).filter(([, { readOnly }]) => side === 'output' || readOnly !== true);
  if (properties.length === 0) {
    const { additionalProperties } = schema;
    const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties, side, depth) : 'unknown';
    return `Readonly<Record<string, ${value}>>`;
  }
  const indent = '  '.repeat(depth + 1);
  const lines = properties.map(([name, property]) => {
    const optional = schema.required?.includes(name) !== true;
    const type = typeOf(property, side, depth + 1);
    const comment = property.description === undefined ? '' : `${indent}/** ${property.description.replaceAll('*/', '* /')} */\n`;
    const undefinable = optional && side === 'input' && type !== 'unknown' ? ' | undefined' : '';
    return `${comment}${indent}readonly ${nameOf(name)}${optional ? '?' : ''}: ${type}${undefinable};`;
  });
  return `{\n${lines.join('\n')}\n${'  '.repeat(depth)}}`;
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');
const parenthesise = (type: string): string => (/^[^{<]* \| /.test(type) ? `(${type})` : type);
const nameOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`);

async function main(): Promise<void> {
  await writeFile(join(import.meta.dirname, 'app', 'engines.ts'), engineDescriptions());
  const folder = await mkdtemp(join(tmpdir(), 'sluice-api-types-'));
  try {
    const environment = { SLUICE_PORT: '0', SLUICE_DATA: folder, SLUICE_FILES: folder, SLUICE_DEMO: 'off' };
    const service = await startService(readConfig(environment), pino({ level: 'silent' }));
    try {
      const document: OpenApiDocument = JSON.parse(await (await fetch(`${service.url}/openapi.json`)).text());
      await writeFile(join(import.meta.dirname, 'app', 'api-types.ts'), apiTypes(document));
    } finally {
      await service.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) await main();
