import { dirname } from 'node:path';
import { engines } from '../../../src/connectors/engines.ts';

/** Runs an endless query until it is killed. `node embedded-service-process.ts <kind> <file> <slow sql>` */
const [, , kind = '', file = '', slow = ''] = process.argv;
const folder = dirname(file);
const context = {
  fileFolders: [folder],
  trustedFiles: [],
  dataFolder: '/nowhere',
  scratchFolder: `${folder}/scratch`,
  connections: 3,
};
const connector = await engines
  .find((engine) => engine.kind === kind)
  ?.open({
    name: 'test',
    connection: { file },
    settings: {},
    writable: false,
    context,
  });
if (connector === undefined) throw new Error(`There is no kind ${kind}.`);
const { signal } = new AbortController();
const running = connector.run({ sql: slow, parameters: [] }, { timeoutMs: 60_000 }, signal);
await connector.ping(signal);
process.stdout.write('started\n');
for await (const batch of (await running).batches()) process.stdout.write(`${batch.length}\n`);
