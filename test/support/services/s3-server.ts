import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request as sendHttp, type Server, type ServerResponse } from 'node:http';
import { request as sendHttps } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../http/free-port.ts';
import { installPrograms } from '../programs.ts';
import { waitUntil } from '../wait-until.ts';

/** What happens to a request instead of, or before, its processing. */
export type Fault = 'reset' | { readonly status: number; readonly code: string } | { readonly pauseMs: number } | null;

/** An S3 server behind a proxy on loopback that can fail. */
export interface S3Server {
  readonly endpoint: string;
  readonly bucket: string;
  /** Settings of a service that keeps its results there; also the credentials. */
  readonly settings: Readonly<Record<string, string>>;
  /** Asked for each request. */
  fault: (request: { readonly method: string; readonly url: string }) => Fault;
  /** Listings are this old. */
  listingLagMs: number;
  /** Requests since the last call of this function, as `GET key`. */
  requests(): readonly string[];
  /** Refuses connections until `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

const BUCKET = 'results';

/**
 * TEST_S3_URL, as https://key:secret@host:port/bucket?region=eu-west-1, is another server than the one of test/programs. With it, all
 * services keep their results there: these are the settings of one, which also get credentials for services in this process.
 */
export function externalResults(): Readonly<Record<string, string>> {
  if (process.env.TEST_S3_URL === undefined) return {};
  const { origin, searchParams } = new URL(process.env.TEST_S3_URL);
  const { bucket, key, secret } = toTarget(new URL(process.env.TEST_S3_URL));
  const credentials = { AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: secret };
  Object.assign(process.env, credentials);
  return {
    SLUICE_OBJECT_STORE: `s3://${bucket}/test-${randomBytes(6).toString('hex')}`,
    SLUICE_S3_ENDPOINT: origin,
    SLUICE_S3_REGION: searchParams.get('region') ?? 'us-east-1',
    SLUICE_S3_FORCE_PATH_STYLE: 'on',
    ...credentials,
  };
}

export async function startS3(): Promise<S3Server> {
  const target = process.env.TEST_S3_URL === undefined ? await startS3rver() : toTarget(new URL(process.env.TEST_S3_URL));
  let seen: string[] = [];
  const listings = new Map<string, { readonly at: number; readonly reply: Reply }>();
  const port = await freePort();
  let server: Server | null = null;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    seen.push(`${method} ${decodeURIComponent(url.split('?')[0] ?? '').slice(target.bucket.length + 2)}`);
    const fault = s3.fault({ method, url });
    const body = await bodyOf(request);
    if (fault === 'reset') return void request.socket.destroy();
    if (fault !== null && 'status' in fault) {
      response.writeHead(fault.status, { 'Content-Type': 'application/xml' });
      return void response.end(`<?xml version="1.0"?><Error><Code>${fault.code}</Code><Message>injected</Message></Error>`);
    }
    if (fault !== null) await delay(fault.pauseMs);
    const isListing = url.includes('list-type=2');
    const old = listings.get(url);
    if (isListing && old !== undefined && performance.now() - old.at < s3.listingLagMs) return old.reply.to(response);
    const reply = await forward(target, request, body);
    if (isListing) listings.set(url, { at: performance.now(), reply });
    reply.to(response);
  }

  const s3: S3Server = {
    endpoint: `http://127.0.0.1:${port}`,
    bucket: target.bucket,
    settings: settingsOf(target, port),
    fault: () => null,
    listingLagMs: 0,
    requests() {
      const last = seen;
      seen = [];
      return last;
    },
    async stop() {
      server?.close();
      server?.closeAllConnections();
      server = null;
    },
    async start() {
      server = createServer((request, response) => {
        handle(request, response).catch(() => response.destroy());
      }).listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    async remove() {
      await s3.stop();
      await target.stop();
    },
  };
  await s3.start();
  return s3;
}

/** The same without the proxy, which takes time. */
export async function startPlainS3(): Promise<Pick<S3Server, 'settings' | 'stop'>> {
  const target = await startS3rver();
  return { settings: settingsOf(target, target.port), stop: target.stop };
}

const settingsOf = ({ bucket, region, key, secret }: Target, port: number): S3Server['settings'] => ({
  SLUICE_OBJECT_STORE: `s3://${bucket}`,
  SLUICE_S3_ENDPOINT: `http://127.0.0.1:${port}`,
  SLUICE_S3_REGION: region,
  SLUICE_S3_FORCE_PATH_STYLE: 'on',
  AWS_ACCESS_KEY_ID: key,
  AWS_SECRET_ACCESS_KEY: secret,
});

interface Target {
  readonly send: typeof sendHttp;
  readonly host: string;
  readonly port: number;
  readonly bucket: string;
  readonly region: string;
  readonly key: string;
  readonly secret: string;
  stop(): Promise<void>;
}

const toTarget = ({ protocol, hostname, port, pathname, searchParams, username, password }: URL): Target => ({
  send: protocol === 'https:' ? sendHttps : sendHttp,
  host: hostname,
  port: Number(port) || (protocol === 'https:' ? 443 : 80),
  bucket: pathname.slice(1),
  region: searchParams.get('region') ?? 'us-east-1',
  key: decodeURIComponent(username),
  secret: decodeURIComponent(password),
  stop: async () => undefined,
});

async function startS3rver(): Promise<Target> {
  const packages = await installPrograms();
  const folder = await mkdtemp(join(tmpdir(), 'sluice-s3-'));
  const port = await freePort();
  const main = join(packages, '@20minutes/s3rver/lib/s3rver.js');
  // its signature check does not know the path of a bucket that the client of AWS signs
  const options = { port, address: '127.0.0.1', silent: true, directory: folder, allowMismatchedSignatures: true };
  const script = `const S3rver = require(${JSON.stringify(main)});
    new S3rver({ ...${JSON.stringify(options)}, configureBuckets: [{ name: '${BUCKET}' }] }).run();
    process.stdin.on('end', () => process.exit()).resume();`;
  const child: ChildProcess = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'ignore', 'inherit'] });
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      ({ body }) => body?.cancel().then(() => true),
      () => false,
    );
  await waitUntil(isUp, (up) => up === true);
  return {
    send: sendHttp,
    host: '127.0.0.1',
    port,
    bucket: BUCKET,
    region: 'us-east-1',
    key: 'S3RVER',
    secret: 'S3RVER',
    async stop() {
      child.kill('SIGKILL');
      await once(child, 'close');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Reply {
  to(response: ServerResponse): void;
}

function forward({ send, port, host }: Target, request: IncomingMessage, body: Buffer): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { method, url, headers } = request;
    const outgoing = send({ port, host, method, path: url, headers }, async (incoming) => {
      const content = await bodyOf(incoming).catch(reject);
      if (content === undefined) return;
      resolve({
        to(response) {
          response.writeHead(incoming.statusCode ?? 502, incoming.headers);
          response.end(content);
        },
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}
