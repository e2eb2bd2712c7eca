import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type Failure, failureTable } from '../../core/errors.ts';
import { version } from '../../core/version.ts';
import { problem, problemOf } from './failure-response.ts';
import { type Content, credentials, type Operation, type ResponseBody, responseHeaders, tags } from './operation.ts';

/** Collects the operations of all routes that are registered later. Returns the OpenAPI document of a service at `baseUrl`. */
export function collectOperations(app: FastifyInstance): (baseUrl: string) => unknown {
  const routes: Route[] = [];
  app.addHook('onRoute', ({ method, url, config }) => {
    const operation = config?.operation;
    const isInterface = /^\/(?:api|mcp)(?:\/|$)/.test(url);
    if (operation === undefined && isInterface) throw new Error(`The route ${String(method)} ${url} has no operation`);
    // Fastify adds a HEAD route to each GET route
    if (operation && typeof method === 'string' && method !== 'HEAD') routes.push({ method, url, operation });
  });
  return (baseUrl) => openApiDocument(routes, baseUrl);
}

z.globalRegistry.add(problem, {
  id: 'Problem',
  description: 'An error.',
  examples: [problemOf({ kind: 'QueryNotAccessible' }, '019a8c52-7b1e-7c3a-9d64-2f0e5b7a8c11')],
});

interface Route {
  readonly method: string;
  readonly url: string;
  readonly operation: Operation;
}

/** An undefined field is not part of the document. */
type Json = Readonly<Record<string, unknown>>;

const DESCRIPTION = `A governed gate between databases and everyone who needs their rows.

Names of fields, query parameters and paths are matched ignoring case, and paths with or without a trailing slash. An unknown field
is refused with the code \`field_unknown\`. A resource that was read may be sent back whole: fields that cannot be changed are ignored.

Errors are problems (RFC 9457). Their \`code\` is stable; programs should compare it, not the texts. A response may get further
fields in later versions.`;

function openApiDocument(routes: readonly Route[], baseUrl: string): Json {
  const schemas = new Components();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { method, url, operation } of routes) {
    const path = url.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(operation, schemas) };
  }
  const used: ReadonlySet<string> = new Set(routes.flatMap(({ operation }) => [operation.tag, ...operation.credentials]));
  const filterUsed = <T>(table: Readonly<Record<string, T>>): [string, T][] =>
    Object.entries(table).filter(([name]) => used.has(name));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      version,
      summary: 'Runs stored queries and returns their rows',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl, description: 'This service' }],
    tags: filterUsed(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: { securitySchemes: Object.fromEntries(filterUsed<object>(credentials)), headers, schemas: schemas.toSorted() },
  };
}

const headers = Object.fromEntries(
  Object.entries(responseHeaders).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
);

function describe(operation: Operation, schemas: Components): Json {
  const { id, tag, summary, description, params, query, headers: sent, body, bodyOptional, example } = operation;
  const parameters = [
    ...parametersOf('path', params, schemas, example?.params),
    ...parametersOf('query', query, schemas, example?.query),
    ...parametersOf('header', sent, schemas),
  ];
  const content = { schema: body && schemas.add(body, 'input'), example: example?.body };
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: operation.credentials.map((credential) => (credential === 'none' ? {} : { [credential]: [] })),
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: body && { required: bodyOptional !== true, content: { 'application/json': content } },
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.responses).map(([status, response], index) => [
          status,
          success(Number(status), response, schemas, index === 0 ? example?.response : undefined),
        ]),
      ),
      ...failuresOf(operation, schemas),
    },
  };
}

function parametersOf(
  place: 'path' | 'query' | 'header',
  schema: z.ZodType | undefined,
  schemas: Components,
  example: Readonly<Record<string, string>> = {},
): readonly Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemas.inline(schema);
  return Object.entries(properties).map(([name, { description, ...type }]) => ({
    name,
    in: place,
    required: required.includes(name) || undefined,
    description,
    schema: type,
    example: example[name],
  }));
}

const successes: Readonly<Record<number, string>> = { 200: 'Success.', 201: 'Created.', 204: 'Done; no body.' };

function success(status: number, response: z.ZodType | ResponseBody, schemas: Components, example: unknown): Json {
  const isSchema = response instanceof z.ZodType;
  const content = isSchema ? { 'application/json': response } : response.content;
  return {
    description: isSchema ? (successes[status] ?? 'Success.') : response.description,
    headers: headersOf(['X-Request-Id', ...(isSchema ? [] : (response.headers ?? []))]),
    content: content && contentOf(content, schemas, example),
  };
}

const headersOf = (names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const contentOf = (content: Content, schemas: Components, example?: unknown): Json =>
  Object.fromEntries(
    Object.entries(content).map(([type, schema]) => [
      type,
      { schema: schema === null ? undefined : schemas.add(schema, 'output'), example },
    ]),
  );

/** Any request may be unreadable or too large, and any operation may have a defect. */
const anywhere: readonly Failure['kind'][] = ['BodyInvalid', 'PayloadTooLarge', 'Internal'];

/** The responses to failures, by status, each with the codes that this operation reports. */
function failuresOf({ failures, failureContent }: Operation, schemas: Components): Json {
  const kinds = new Set([...anywhere, ...failures]);
  // in the order of the table
  const rows = Object.entries(failureTable).flatMap(([kind, row]) => (kinds.has(kind as Failure['kind']) ? [row] : []));
  const byStatus = Object.entries(Object.groupBy(rows, ({ status }) => status));
  return Object.fromEntries(
    byStatus.map(([status, these = []]) => [
      status,
      {
        description: these.map(({ code, title }) => `\`${code}\`: ${title}.`).join(' '),
        headers: headersOf(['X-Request-Id', ...(['429', '503'].includes(status) ? ['Retry-After'] : [])]),
        content:
          failureContent === undefined
            ? { 'application/problem+json': { schema: problemWith(Number(status), these, schemas) } }
            : contentOf(failureContent, schemas),
      },
    ]),
  );
}

const problemWith = (status: number, rows: readonly { readonly code: string }[], schemas: Components): Json => ({
  allOf: [
    schemas.add(problem, 'output'),
    { type: 'object', properties: { status: { const: status }, code: { enum: rows.map(({ code }) => code) } } },
  ],
});

/** The named schemas of the document: those with an `id` in their metadata. All others are inlined. */
export class Components {
  readonly #schemas = new Map<string, Json>();
  readonly #converted = { input: new Map<z.ZodType, Json>(), output: new Map<z.ZodType, Json>() };

  /** The schema, or the reference to it if it has a name. */
  add(schema: z.ZodType, io: 'input' | 'output'): Json {
    const known = this.#converted[io].get(schema) ?? this.#convert(schema, io);
    this.#converted[io].set(schema, known);
    return known;
  }

  #convert(schema: z.ZodType, io: 'input' | 'output'): Json {
    const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: tidy(io) });
    for (const [name, each] of Object.entries(rewriteReferences($defs))) {
      const known = this.#schemas.get(name);
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(each))
        throw new Error(`Two schemas have the name ${name}, or it is used in requests and responses and differs`);
      this.#schemas.set(name, each);
    }
    return rewriteReferences(root);
  }

  inline(schema: z.ZodType): { properties?: Record<string, Json>; required?: readonly string[] } {
    return this.add(schema, 'input');
  }

  toSorted(): Json {
    return Object.fromEntries([...this.#schemas].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}

const rewriteReferences = <T>(schema: T): T =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));

/** Unknown fields of a request are refused; those of a response are left to later versions. Removes empty schemas. */
const tidy =
  (io: 'input' | 'output') =>
  ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: z.core.JSONSchema.BaseSchema }): void => {
    const { type } = zodSchema._zod.def;
    if (type === 'object' && io === 'input') jsonSchema.additionalProperties = false;
    if (type === 'object' && io === 'output') delete jsonSchema.additionalProperties;
    if (type === 'record') delete jsonSchema.propertyNames;
    if (type === 'readonly') delete jsonSchema.readOnly; // of the value in TypeScript
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  };
