import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../../../src/config/config.ts';
import { root } from './source-files.ts';

// Starts the service with the settings in its environment and prints the files of src/ that run during a warm ExecuteQuery of one row.
const [, , username = '', password = ''] = process.argv;
const basic = { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
const ROUNDS = 5;

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
// loaded only now, so that all of its functions are counted
const { startService } = await import('../../../src/main.ts');
const { createLog } = await import('../../../src/operations/log.ts');
const service = await startService(readConfig(process.env), createLog({ logLevel: 'info' }, { write: () => {} }));

async function post(path: string, body: unknown, headers: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return JSON.parse(await response.text());
}

/** The files whose functions have run since the last time. */
async function takeFiles(): Promise<Set<string>> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran = result.filter(({ functions }) => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)));
  const paths = ran.filter(({ url }) => url.startsWith('file:')).map(({ url }) => fileURLToPath(url));
  return new Set(paths.filter((path) => path.startsWith(`${root}/src/`)).map((path) => path.slice(root.length + 1)));
}

const query = { name: 'One row', database: 'Demo', sql: 'select 1 as n', parameters: [] };
const { id = '', queryName = '' } = await post('/api/v1/queries', query, basic);
for (const move of ['validate', 'activate']) await post(`/api/v1/queries/${id}/${move}`, {}, basic);
const { key = '' } = await post('/api/v1/account/api-keys', { name: 'warm' }, basic);
const call = () => post('/api/v1/JsonBuilder/ExecuteQuery', { QueryName: queryName, Parameters: [] }, { 'X-API-Key': key });

for (let round = 0; round < ROUNDS; round++) await call();
await takeFiles();
await call();
let files = [...(await takeFiles())];
for (let round = 1; round < ROUNDS; round++) {
  await call();
  const again = await takeFiles();
  files = files.filter((file) => again.has(file)); // without what timers run beside a call
}
process.stdout.write(JSON.stringify(files.toSorted()));
await service.close();
