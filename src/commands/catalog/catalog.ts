import { parseArgs } from 'node:util';
import type { CatalogPlanView } from '../../administration/catalog/view-plan.ts';
import { type DatabaseNames, mapDatabases } from '../../catalog/files/map-databases.ts';
import { toWritten, writeQueryFile } from '../../catalog/files/query-file.ts';
import { emptyQuery, type WrittenQuery } from '../../catalog/query-fields.ts';
import { ConfigError } from '../../config/config.ts';
import { type ProblemInFile, type QueryInFolder, readFolder, writeFolder } from './folder.ts';
import { describePlan } from './print-plan.ts';
import { type CallService, connectService, type Refusal } from './service.ts';

export type CatalogCommand = 'export' | 'plan' | 'apply';

const options = {
  url: { type: 'string' },
  key: { type: 'string' },
  database: { type: 'string', multiple: true },
  prune: { type: 'boolean', default: false },
  'allow-breaking': { type: 'boolean', default: false },
  note: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

const optionsOf: Readonly<Record<CatalogCommand, readonly (keyof typeof options)[]>> = {
  export: ['url', 'key', 'database', 'json'],
  plan: ['url', 'key', 'database', 'prune', 'json'],
  apply: ['url', 'key', 'database', 'prune', 'allow-breaking', 'note', 'json'],
};

const exitCodes = { done: 0, failed: 1, changes: 2, breaking: 3 } as const;

/** Runs `sluice catalog <command>` against a service. Returns the exit code. */
export async function catalog(command: CatalogCommand, args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const { values, folder } = readArguments(command, args);
  const { url = environment.SLUICE_URL, key = environment.SLUICE_API_KEY } = values;
  if (!url) throw new ConfigError('set --url or SLUICE_URL to the address of the service');
  if (!key) throw new ConfigError('set --key or SLUICE_API_KEY to an API key');
  const call = connectService(url, key.trim());
  const names = readDatabases(values.database ?? []);
  const print = values.json ? printJson : null;
  if (command === 'export') return exportCatalog(call, folder, names, print);

  const { queries, problems } = await readFolder(folder);
  if (problems.length > 0) return reportProblems(problems, print);
  if (queries.length === 0 && values.prune)
    throw new ConfigError(`there are no queries in ${folder}; --prune would deactivate all`);
  requireDatabases(names, queries);
  const mapped = mapDatabases(queries, names);
  const { prune, note, 'allow-breaking': allowBreaking } = values;
  const body = { queries: mapped.map(({ queryName, fields }) => ({ queryName, ...fields })), prune };
  const sent = command === 'plan' ? body : { ...body, allowBreaking, note };
  const doing = command === 'plan' ? 'Validating' : 'Applying';
  const response = await showProgress(`${doing} ${queries.length} queries`, call<CatalogPlanView>(`/catalog/${command}`, sent));
  const printPlan = (plan: CatalogPlanView, more: object = {}): void => {
    const written = new Map(mapped.map(({ queryName, fields }) => [queryName, toWritten(fields) ?? emptyQuery]));
    if (print === null) printText(describePlan(plan, written));
    else print({ ...more, ...plan });
  };
  if (!response.ok) {
    const { code } = response.refusal;
    const isBreaking = code === 'breaking_change';
    const planned = isBreaking ? await showProgress('Finding callers', call<CatalogPlanView>('/catalog/plan', body)) : response;
    if (!planned.ok) return reportRefusal(response.refusal, mapped, print);
    printPlan(planned.value, { code });
    if (print === null)
      process.stderr.write('sluice: refused, because callers would break. Nothing was changed; --allow-breaking applies it.\n');
    return exitCodes.breaking;
  }
  const plan = response.value;
  printPlan(plan);
  if (command === 'apply') {
    if (print === null) printText('Applied.');
    return exitCodes.done;
  }
  if (plan.queries.some(({ breaking }) => breaking)) return exitCodes.breaking;
  return plan.queries.length + plan.deactivated.length > 0 ? exitCodes.changes : exitCodes.done;
}

function readArguments(command: CatalogCommand, args: readonly string[]) {
  const usage = `sluice catalog ${command} FOLDER ${optionsOf[command].map((name) => `[--${name}]`).join(' ')}`;
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [folder, more] = positionals;
    const unknown = Object.entries(values).find(
      ([name, value]) => !optionsOf[command].some((each) => each === name) && value !== false && value !== undefined,
    );
    if (folder === undefined || more !== undefined || unknown !== undefined) throw new ConfigError(`usage: ${usage}`);
    return { values, folder };
  } catch (error) {
    if (error instanceof TypeError) throw new ConfigError(`${error.message.split('. ')[0]}; usage: ${usage}`);
    throw error;
  }
}

function readDatabases(sent: readonly string[]): DatabaseNames {
  const names = new Map<string, string>();
  for (const each of sent) {
    const [, from, to] = /^([^=]+)=([^=]+)$/.exec(each) ?? [];
    if (from === undefined || to === undefined || names.has(from))
      throw new ConfigError(`--database ${each}: write NAME=OTHER, each name once`);
    names.set(from, to);
  }
  return names;
}

/** A misspelled name would leave its queries on another database. */
function requireDatabases(names: DatabaseNames, queries: readonly QueryInFolder[]): void {
  const unused = [...names.keys()].find((name) => !queries.some(({ fields }) => fields.database === name));
  if (unused !== undefined) throw new ConfigError(`--database ${unused}=…: no file has the database ${unused}`);
}

type Print = (value: unknown) => void;
type ListedQuery = WrittenQuery & { readonly queryName: string; readonly note?: string };

async function exportCatalog(call: CallService, folder: string, names: DatabaseNames, print: Print | null): Promise<number> {
  const listed: ListedQuery[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const next: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = call<{ items: readonly ListedQuery[]; nextCursor: string | null }>(`/queries?status=Active&limit=200${next}`);
    const response = await showProgress(`Reading queries: ${listed.length}`, page);
    if (!response.ok) return reportRefusal(response.refusal, [], print);
    listed.push(...response.value.items);
    cursor = response.value.nextCursor;
  }
  // bound parameters are left out for others, and so are notes
  if (listed.some(({ note }) => note === undefined))
    throw new ConfigError('the key may not read queries as their authors do: it needs queries.author and must not be narrowed');
  const back = new Map([...names].map(([from, to]) => [to, from]));
  if (back.size < names.size) throw new ConfigError('--database: two names stand for the same database');
  const mapped = mapDatabases(
    listed.map((fields) => ({ queryName: fields.queryName, fields: { ...fields } })),
    back,
  );
  const files = new Map(mapped.map(({ queryName, fields }) => [queryName, writeQueryFile({ ...emptyQuery, ...fields })]));
  if (files.size < mapped.length) throw new ConfigError('--database: two queries would have the same file');
  const { written, others } = await writeFolder(folder, files);
  if (print !== null) print({ queries: files.size, written, others });
  else printText(`${files.size} queries in ${folder}, ${written} files changed.`);
  for (const file of print === null ? others : []) process.stderr.write(`${file}: no Active query has this name\n`);
  return exitCodes.done;
}

/** Prints problems of fields with their file and line, any other refusal in one line. */
function reportRefusal({ code, detail, errors }: Refusal, queries: readonly QueryInFolder[], print: Print | null): number {
  const problems = errors.flatMap(({ field, message, line }): ProblemInFile[] => {
    const [, index = '', rest = ''] = /^queries\.(\d+)(?:\.(.*))?$/s.exec(field) ?? [];
    const query = queries[Number(index || -1)];
    if (query === undefined) return [];
    const path = rest.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
    const file = path[0] === 'epilogue' ? query.file.replace(/\.sql$/, '.epilogue.sql') : query.file;
    return [{ file, line: query.lineOf(path, line), message: path[0] === 'sql' ? message : `${rest}: ${message}` }];
  });
  if (problems.length > 0) reportProblems(problems, print);
  else if (print !== null) print({ code, errors: [{ message: detail }] });
  else process.stderr.write(`sluice: ${replaceControls(detail || code)}\n`);
  return code === 'breaking_change' ? exitCodes.breaking : exitCodes.failed;
}

function reportProblems(problems: readonly ProblemInFile[], print: Print | null): number {
  if (print !== null) print({ errors: problems });
  else for (const { file, line, message } of problems) process.stderr.write(`${file}:${line}: ${replaceControls(message)}\n`);
  return exitCodes.failed;
}

const printJson: Print = (value) => void process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
const printText = (text: string): void => void process.stdout.write(`${replaceControls(text)}\n`);

/** Prevents texts of the catalog from controlling the terminal. */
const replaceControls = (text: string): string =>
  text.replace(/[\p{Cc}\u2028\u2029]/gu, (each) => (each === '\n' || each === '\t' ? each : '�'));

/** On a terminal, shows what is done and for how long. */
async function showProgress<T>(doing: string, work: Promise<T>): Promise<T> {
  if (!process.stderr.isTTY) return work;
  const startedAt = Date.now();
  const show = (): void => void process.stderr.write(`\r${doing} … ${Math.round((Date.now() - startedAt) / 1000)} s`);
  show();
  const timer = setInterval(show, 1000);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    process.stderr.write('\r\u001b[K');
  }
}
