/** The part of an OpenAPI document that tests read. */
export interface OpenApi {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Operation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly example?: string }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}

export const readOpenApi = async (url: string): Promise<OpenApi> => JSON.parse(await (await fetch(`${url}/openapi.json`)).text());

const resolvedSchemas = new WeakMap<Schema, Schema>();

/** A schema with what its reference leads to and its `allOf` as one. */
export function resolveSchema(schema: Schema, document: OpenApi): Schema {
  const known = resolvedSchemas.get(schema) ?? resolve(schema, document);
  resolvedSchemas.set(schema, known);
  return known;
}

function resolve(schema: Schema, document: OpenApi): Schema {
  const { $ref, allOf, ...own } = schema;
  const parts = [
    ...($ref === undefined ? [] : [document.components.schemas[$ref.replace('#/components/schemas/', '')] ?? {}]),
    ...(allOf ?? []),
  ].map((each) => resolveSchema(each, document));
  if (parts.length === 0) return schema;
  const all = [...parts, own];
  return {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map(({ properties }) => properties)),
    required: all.flatMap(({ required = [] }) => required),
  };
}

interface Response {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const CHECKED_ITEMS = 20; // large pages have equal rows
let lastRead: OpenApi | null = null;

/**
 * Fails if a response is not as the OpenAPI document of the service describes it: a status or an error code that its operation
 * does not list, a field that is missing, has another type, or is not described.
 */
export async function checkDescribed(url: string, method: string, path: string, response: Response): Promise<void> {
  if (lastRead !== null && problemsAt(lastRead, method, path, response).length === 0) return; // services with equal settings have equal documents
  const own = await readOpenApi(url).catch(() => null);
  if (own === null) return; // the service is closing or refuses connections
  lastRead = own;
  const problems = problemsAt(own, method, path, response);
  if (problems.length > 0)
    throw new Error(`${method} ${path}: the response is not as /openapi.json says: ${problems.join('; ')}\n${response.text}`);
}

function problemsAt(document: OpenApi, method: string, path: string, response: Response): readonly string[] {
  const operation = operationOf(document, method, path);
  return operation === null ? [] : problemsOf(document, operation, response);
}

function operationOf({ paths }: OpenApi, method: string, path: string): Operation | null {
  const segments = (path.split('?')[0] ?? '').toLowerCase().replace(/\/$/, '').split('/'); // as the router matches
  const matches = Object.entries(paths).filter(([template]) => {
    const names = template.split('/');
    return (
      names.length === segments.length && names.every((name, at) => name.startsWith('{') || name.toLowerCase() === segments[at])
    );
  });
  const [found] = matches.toSorted(([a], [b]) => variables(a) - variables(b)); // /queries/preview before /queries/{id}
  return found?.[1][method.toLowerCase()] ?? null;
}

const variables = (template: string): number => template.split('{').length;

function problemsOf(document: OpenApi, { responses }: Operation, { status, headers, text }: Response): readonly string[] {
  const described = responses[status];
  if (described === undefined) return [`the status ${status} is not described`];
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  if (text === '') return [];
  const content = described.content?.[type];
  if (content === undefined) return [`${type} is not described for ${status}`];
  if (content.schema === undefined || !type.endsWith('json')) return [];
  return mismatches(JSON.parse(text), content.schema, document, '');
}

/** Where a value differs from its schema. */
function mismatches(value: unknown, schema: Schema, document: OpenApi, at: string): readonly string[] {
  const whole = resolveSchema(schema, document);
  if (whole.anyOf !== undefined) {
    const all = whole.anyOf.map((each) => mismatches(value, each, document, at));
    return all.some((each) => each.length === 0) ? [] : (all[0] ?? []);
  }
  if ('const' in whole && value !== whole.const) return [`${at} is not ${JSON.stringify(whole.const)}`];
  if (whole.enum !== undefined && !whole.enum.includes(value))
    return [`${at} is ${JSON.stringify(value)}, not one of ${whole.enum.join(', ')}`];
  if (whole.type !== undefined && ![whole.type].flat().some((type) => isOf(value, type)))
    return [`${at} is not of type ${String(whole.type)}`];
  if (Array.isArray(value)) {
    const { items } = whole;
    if (items === undefined) return [];
    return value.slice(0, CHECKED_ITEMS).flatMap((each, index) => mismatches(each, items, document, `${at}[${index}]`));
  }
  if (typeof value !== 'object' || value === null) return [];
  return fieldMismatches(new Map(Object.entries(value)), whole, document, at);
}

function fieldMismatches(
  fields: ReadonlyMap<string, unknown>,
  { properties = {}, required = [], additionalProperties }: Schema,
  document: OpenApi,
  at: string,
): readonly string[] {
  const isOpen = additionalProperties === undefined ? Object.keys(properties).length === 0 : additionalProperties !== false;
  const others = typeof additionalProperties === 'object' ? additionalProperties : {};
  return [
    ...required.filter((name) => !fields.has(name)).map((name) => `${at}.${name} is missing`),
    ...[...fields].flatMap(([name, value]) => {
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (known === undefined && !isOpen) return [`${at}.${name} is not described`];
      return mismatches(value, known ?? others, document, `${at}.${name}`);
    }),
  ];
}

function isOf(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    default:
      return typeof value === type;
  }
}
