import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../http/free-port.ts';
import { readText } from '../repository/source-files.ts';

/** A reverse proxy on loopback, from the packages of Debian. */
export interface Proxy {
  readonly url: string;
  /** What the program printed, warnings of its configuration included. */
  output(): string;
  /** Stops the program and removes its files. */
  remove(): Promise<void>;
}

/** The configuration for the port that the proxy listens on. */
export type ProxyConfig = (port: number) => string;

/** `site` is what a file in /etc/nginx/conf.d contains. Checked by `nginx -t` first. */
export function startNginx(site: ProxyConfig): Promise<Proxy> {
  const program = '/usr/sbin/nginx';
  return startProxy(
    program,
    (folder) => ['-p', folder, '-e', 'stderr', '-c', join(folder, 'config')],
    ['-t'],
    (port, folder) => nginxConfig(folder, site(port)),
  );
}

/** nginx in front of `upstream` with nothing set but its address. */
export const stockNginx = (upstream: string): ProxyConfig => {
  return (port) => `server { listen 127.0.0.1:${port}; location / { proxy_pass ${upstream}; } }`;
};

/** `config` is a complete haproxy.cfg. Checked by `haproxy -c` first. */
export function startHaproxy(config: ProxyConfig): Promise<Proxy> {
  const program = '/usr/sbin/haproxy';
  return startProxy(program, (folder) => ['-db', '-f', join(folder, 'config')], ['-c'], config);
}

/** HAProxy in front of `upstream` with nothing set but its address and the time-outs that it asks for. */
export const stockHaproxy = (upstream: string): ProxyConfig => {
  return (port) => `defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend proxy
  bind 127.0.0.1:${port}
  default_backend service
backend service
  server service ${new URL(upstream).host}
`;
};

/** A file of deploy/ in front of one service. */
export const readShippedNginx = (upstream: string): ProxyConfig => {
  return (port) =>
    readText('deploy/nginx.conf')
      .replace('listen 8080;', `listen 127.0.0.1:${port};`)
      .replace(/server sluice-1:8080/, `server ${new URL(upstream).host}`)
      .replace(/\n *server sluice-2:8080.*/, '');
};

/** The same with the locations for a base URL whose path is `/sluice`, which the file has as comments. */
export const readShippedNginxBelowPath = (upstream: string): ProxyConfig => {
  return (port) =>
    readShippedNginx(upstream)(port)
      .replace(/\n {2}location \/ \{[^}]*\}/, '')
      .replace('location ~* /(', 'location ~* ^/sluice/(')
      .replaceAll(/^ {2}# {3}(location .*\{ [^…]*\})$/gm, '  $1');
};

export const readShippedHaproxy = (upstream: string): ProxyConfig => {
  return (port) =>
    readText('deploy/haproxy.cfg')
      .replace('bind :8080', `bind 127.0.0.1:${port}`)
      .replace('sluice-1:8080', new URL(upstream).host)
      .replace(/\n *server sluice-2.*/, '');
};

const START_MS = 20_000;

async function startProxy(
  program: string,
  argumentsOf: (folder: string) => readonly string[],
  check: readonly string[],
  config: (port: number, folder: string) => string,
): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-proxy-'));
  const port = await freePort();
  await writeFile(join(folder, 'config'), config(port, folder));
  const words = argumentsOf(folder);
  await promisify(execFile)(program, [...words, ...check]); // rejects with what the program reports
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill); // an aborted run leaves no proxy behind
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const remove = async (): Promise<void> => {
    process.off('exit', kill);
    await stop(child);
    await rm(folder, { recursive: true, force: true });
  };
  for (const startedAt = performance.now(); !(await isListening(port)); await sleep(20)) {
    if (child.exitCode === null && performance.now() - startedAt < START_MS) continue;
    await remove();
    throw new Error(`${program} did not start: ${output}`);
  }
  return { url: `http://127.0.0.1:${port}`, output: () => output, remove };
}

/** With SIGTERM, so that nginx ends its workers. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Debian's nginx.conf, with every file in `folder`. */
const nginxConfig = (folder: string, site: string): string => `
${process.getuid?.() === 0 ? 'user root;' : ''} # the folder belongs to the account of the tests
daemon off;
pid ${folder}/pid;
error_log stderr warn;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  scgi_temp_path ${folder}/scgi;
  uwsgi_temp_path ${folder}/uwsgi;
  sendfile on;
  tcp_nopush on;
  gzip on;
  default_type application/octet-stream;
${site}
}
`;
