import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'pg';
import { statements } from './statements.ts';

/** The baseline of the comparison: node:http, pg, prepared statements, JSON.stringify. No keys, no rights, no audit. Runs as a separate process. */
const pool = new Pool({ connectionString: process.env.BENCH_DATABASE, max: 16, idleTimeoutMillis: 0 });

const prepared = new Map(Object.entries(statements).map(([name, sql]) => [name, { name, text: sql.replace(/@\w+/, '$1') }]));

const server = createServer(async (request, response) => {
  const [path = '', value = ''] = (request.url ?? '').slice(1).split('?v=');
  const statement = prepared.get(path);
  if (statement === undefined) {
    response.writeHead(404).end();
    return;
  }
  try {
    const { rows } = await pool.query({ ...statement, values: [decodeURIComponent(value)] });
    const body = JSON.stringify(rows);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // not a pipe
  process.stdout.write(`ready at http://127.0.0.1:${port}\n`);
});
