import { Agent, request } from 'node:http';

/** Where wrk is not installed: the same load and the same result line, as a separate process. */
const [url = '', connections = '1', seconds = '1'] = process.argv.slice(2);
const { BENCH_METHOD: method = 'GET', BENCH_PATH: path = '/', BENCH_BODY: body = '', BENCH_HEADERS: headers = '' } = process.env;
const regions = ['north', 'south', 'east', 'west', 'centre', 'coast', 'hills', 'isles'];
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });
const sent = Object.fromEntries(
  headers.split('|').flatMap((pair) => (pair === '' ? [] : [pair.split(': ') as [string, string]])),
);

let number = 0;
let errors = 0;
const took: number[] = [];

const fill = (text: string): string =>
  text.replace('{id}', String(1 + ((number * 48_271) % 1_000_000))).replace('{region}', regions[number % regions.length] ?? '');

function sendOnce(): Promise<void> {
  number++;
  const begun = performance.now();
  const bytes = Buffer.from(fill(body));
  const length = body === '' ? {} : { 'Content-Length': bytes.length };
  return new Promise((resolve) => {
    const onEnded = (failed: boolean): void => {
      if (failed) errors++;
      took.push(performance.now() - begun);
      resolve();
    };
    request(url + fill(path), { method, agent, headers: { ...sent, ...length } }, (response) => {
      response.resume().once('end', () => onEnded(response.statusCode !== 200));
    })
      .once('error', () => onEnded(true))
      .end(bytes);
  });
}

const begun = performance.now();
const end = begun + Number(seconds) * 1000;
await Promise.all(
  Array.from({ length: Number(connections) }, async () => {
    while (performance.now() < end) await sendOnce();
  }),
);
agent.destroy();
took.sort((a, b) => a - b);
const percentile = (part: number): number => took[Math.floor((took.length - 1) * part)] ?? 0;
const microseconds = Math.round((performance.now() - begun) * 1000);
const result = { requests: took.length, microseconds, p50: percentile(0.5), p99: percentile(0.99), errors };
process.stdout.write(`RESULT ${JSON.stringify(result)}\n`);
