import type { Query } from '../app/wire.ts';
import { KEY_VARIABLE } from '../components/copy/key-variable.ts';
import type { ParameterValues } from '../components/parameters/parameter-values.ts';
import { quote, writeParameters } from './parameter-literals.ts';

export type CodedQuery = Pick<Query, 'queryName' | 'parameters' | 'resultColumns'>;

/** A text to copy: commands, or the content of a file. */
export interface Step {
  readonly label: string;
  readonly text: string;
}

/** A generator of TypeScript clients. The same texts are in docs/clients.md. */
export interface ClientGenerator {
  readonly id: string;
  readonly label: string;
  readonly install: Step;
  readonly generate: (baseUrl: string) => readonly Step[];
  readonly program: (query: CodedQuery, values: ParameterValues, baseUrl: string) => Step;
}

/** The OpenAPI document of the queries that its reader may run. */
export const documentUrl = (baseUrl: string): string => `${baseUrl}/api/v1/openapi.json`;

export const clientGenerators = [
  {
    id: 'openapi-typescript',
    label: 'openapi-typescript',
    install: {
      label: 'Install',
      text: 'npm install openapi-fetch\nnpm install --save-dev openapi-typescript typescript@5 @types/node',
    },
    generate: (baseUrl) => [
      { label: 'Generate the types', text: `${download(baseUrl)}\nnpx openapi-typescript queries.json -o queries.d.ts` },
    ],
    program: (query, values, baseUrl) => ({
      label: 'report.mts',
      text: `import createClient from 'openapi-fetch';
import type { paths } from './queries.d.ts';

${variables(baseUrl)}
const sluice = createClient<paths>({ baseUrl: SLUICE, headers: { 'X-API-Key': ${KEY_VARIABLE} } });

${readRows(`const { data: page, error } = await sluice.POST(${quote(`/api/query/execute/${query.queryName}`)}, {
      body: ${body(query, values)},
    });
    if (error) throw new Error(\`\${error.code}: \${error.detail}\`);`)}

${printRows(query)}`,
    }),
  },
  {
    id: 'hey-api',
    label: '@hey-api/openapi-ts',
    install: { label: 'Install', text: 'npm install --save-dev @hey-api/openapi-ts typescript@5 @types/node' },
    generate: (baseUrl) => [
      {
        label: 'openapi-ts.config.mjs',
        text: `export default {
  input: 'queries.json',
  output: { path: 'queries-client', module: { extension: '.ts' } },
  plugins: [{ name: '@hey-api/sdk', operations: { methodName: { casing: 'preserve' } } }],
};`,
      },
      { label: 'Generate the client', text: `${download(baseUrl)}\nnpx @hey-api/openapi-ts` },
    ],
    program: (query, values, baseUrl) => ({
      label: 'rows.mts',
      text: `import { createClient } from './queries-client/client/index.ts';
import { ${query.queryName} } from './queries-client/index.ts';

${variables(baseUrl)}
const client = createClient({ baseUrl: SLUICE, headers: { 'X-API-Key': ${KEY_VARIABLE} } });

${readRows(`const { data: page } = await ${query.queryName}({
      client,
      body: ${body(query, values)},
      throwOnError: true,
    });`)}

${printRows(query)}`,
    }),
  },
] as const satisfies readonly ClientGenerator[];

const download = (baseUrl: string): string =>
  `curl -sf -H "X-API-Key: $${KEY_VARIABLE}" "${documentUrl(baseUrl)}" -o queries.json`;

const variables = (baseUrl: string): string => `const { SLUICE = ${quote(baseUrl)}, ${KEY_VARIABLE} = '' } = process.env;`;

/** A generator that calls until there is no further page. */
const readRows = (call: string): string => `async function* readRows() {
  let next: { rowIndex?: number; queryMoreCode?: string | null } = {};
  do {
    ${call}
    yield* page.data;
    next = { rowIndex: page.nextRowIndex, queryMoreCode: page.queryMoreCode };
  } while (next.queryMoreCode !== null);
}`;

function body({ parameters }: CodedQuery, values: ParameterValues): string {
  const sent = writeParameters(parameters, values);
  return sent === null ? 'next' : `{ parameters: ${sent}, ...next }`;
}

const PRINTED_COLUMNS = 2;

function printRows({ resultColumns }: CodedQuery): string {
  const cells = (resultColumns ?? []).slice(0, PRINTED_COLUMNS).map(({ label }) => `row${access(label)}`);
  return `for await (const row of readRows()) console.log(${cells.length === 0 ? 'row' : cells.join(', ')});`;
}

const access = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${quote(name)}]`);
