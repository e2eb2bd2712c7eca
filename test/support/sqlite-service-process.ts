import { dirname } from 'node:path';
import { sqlite } from '../../src/connectors/sqlite/index.ts';

/** Runs a query that never ends and one that waits, until it is killed. `node sqlite-service-process.ts <file> <slow sql>` */
const [, , file = '', slow = ''] = process.argv;
const folder = dirname(file);
const surroundings = {
  fileFolders: [folder],
  trustedFiles: [],
  dataFolder: '/nowhere',
  scratchFolder: `${folder}/scratch`,
  connections: 3,
};
const connector = await sqlite.open({ name: 'test', connection: { file }, settings: {}, writable: false, surroundings });
const { signal } = new AbortController();
const running = connector.run({ sql: slow, parameters: [] }, { timeoutMs: 60_000 }, signal);
await connector.ping(signal);
process.stdout.write('started\n');
for await (const batch of (await running).batches()) process.stdout.write(`${batch.length}\n`);
