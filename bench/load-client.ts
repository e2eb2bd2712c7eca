import { Agent, request } from 'node:http';

/** The load generator where wrk is not installed: a separate process that sends the same requests and prints the same result line. */
const [url = '', connections = '1', seconds = '1'] = process.argv.slice(2);
const { BENCH_METHOD: method = 'GET', BENCH_PATH: path = '/', BENCH_BODY: body = '', BENCH_HEADERS: headers = '' } = process.env;
const keys = (process.env.BENCH_KEYS ?? '').split('|').filter(Boolean);
const regions = ['north', 'south', 'east', 'west', 'center', 'coast', 'hills', 'isles'];
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });
const sentHeaders = Object.fromEntries(
  headers.split('|').flatMap((pair) => (pair === '' ? [] : [pair.split(': ') as [string, string]])),
);

let number = 0;
let errors = 0;
const durations: number[] = [];

const fill = (text: string): string =>
  text.replace('{id}', String(1 + ((number * 48_271) % 1_000_000))).replace('{region}', regions[number % regions.length] ?? '');

const keyInTurn = () => (keys.length === 0 ? {} : { 'X-API-Key': keys[number % keys.length] });

function sendOnce(): Promise<void> {
  number++;
  const startedAt = performance.now();
  const bytes = Buffer.from(fill(body));
  const length = body === '' ? {} : { 'Content-Length': bytes.length };
  return new Promise((resolve) => {
    const finish = (failed: boolean): void => {
      if (failed) errors++;
      durations.push(performance.now() - startedAt);
      resolve();
    };
    request(url + fill(path), { method, agent, headers: { ...sentHeaders, ...keyInTurn(), ...length } }, (response) => {
      response.resume().once('end', () => finish(response.statusCode !== 200));
    })
      .once('error', () => finish(true))
      .end(bytes);
  });
}

const startedAt = performance.now();
const end = startedAt + Number(seconds) * 1000;
await Promise.all(
  Array.from({ length: Number(connections) }, async () => {
    while (performance.now() < end) await sendOnce();
  }),
);
agent.destroy();
durations.sort((a, b) => a - b);
const percentile = (part: number): number => durations[Math.floor((durations.length - 1) * part)] ?? 0;
const microseconds = Math.round((performance.now() - startedAt) * 1000);
const result = { requests: durations.length, microseconds, p50: percentile(0.5), p99: percentile(0.99), errors };
process.stdout.write(`RESULT ${JSON.stringify(result)}\n`);
