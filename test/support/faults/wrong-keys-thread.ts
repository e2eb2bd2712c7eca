import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

/** Calls with a wrong key from many addresses for some seconds; reports the number of calls and of those not refused. */
export interface WrongKeys {
  readonly url: string;
  readonly seconds: number;
  readonly addresses: number;
  readonly connections: number;
}

const { url, seconds, addresses, connections }: WrongKeys = workerData;
const { hostname, port } = new URL(url);
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const body = JSON.stringify({ QueryName: 'any', Parameters: [] });
let calls = 0;
let others = 0;

function call(address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'X-API-Key': 'slc_nonsense', 'X-Forwarded-For': address, 'Content-Type': 'application/json' };
    const sent = request({ agent, host: hostname, port, method: 'POST', path: '/api/v1/JsonBuilder/ExecuteQuery', headers });
    sent.on('error', reject);
    sent.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.end(body);
  });
}

async function callAnonymously(): Promise<void> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end;) {
    if ((await call(`10.9.0.${calls++ % addresses}`)) !== 401) others++;
  }
}

await Promise.all(Array.from({ length: connections }, callAnonymously));
agent.destroy();
parentPort?.postMessage({ calls, others });
