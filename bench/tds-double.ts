import { startTdsDouble } from '../test/doubles/tds/server.ts';

/** The double of SQL Server's protocol, as a process, so that its processor time is counted separately. */
const { port, store } = await startTdsDouble({ password: process.env.BENCH_PASSWORD ?? '' });
setInterval(() => store.executed.splice(0), 1000); // only tests read it; here it would grow without limit
process.stdout.write(`ready at http://127.0.0.1:${port}\n`);
