import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const binary = '/usr/sbin/clickhouse-server';
const installer = '/usr/bin/apt-get';

export interface ClickHouseServer {
  readonly port: number;
  /** Where its table functions may read files. */
  readonly files: string;
  /** As the administrator; the answer's text. */
  execute(sql: string): Promise<string>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Why there is no ClickHouse to test against; installs Debian's package where that is allowed. */
export function clickHouseProblem(): string | undefined {
  if (existsSync(binary)) return undefined;
  if (process.getuid?.() !== 0) return 'clickhouse-server is not installed, and only root may install it';
  try {
    const quiet = { stdio: 'ignore', timeout: 240_000, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
    execFileSync(
      installer,
      ['install', '-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120', 'clickhouse-server'],
      quiet,
    );
  } catch {
    return 'the package clickhouse-server cannot be installed';
  }
  return existsSync(binary) ? undefined : `the package has no ${binary}`;
}

/** Debian's server 18.16 on loopback, with a folder of its own. `reader` is a second account. */
export async function startClickHouse(reader: { user: string; password: string }): Promise<ClickHouseServer> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-clickhouse-'));
  const files = join(folder, 'files');
  const [port, tcpPort] = [await freePort(), await freePort()];
  for (const name of ['data', 'tmp', 'files']) await mkdir(join(folder, name));
  await writeFile(join(folder, 'config.xml'), configOf(folder, port, tcpPort));
  await writeFile(join(folder, 'users.xml'), usersOf(reader));
  const url = `http://127.0.0.1:${port}/`;
  let server: ChildProcess;

  async function execute(sql: string): Promise<string> {
    const answer = await fetch(url, { method: 'POST', body: sql });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text;
  }

  async function start(): Promise<void> {
    server = spawn(binary, [`--config-file=${join(folder, 'config.xml')}`], { stdio: 'ignore' });
    const giveUpAt = Date.now() + 30_000;
    for (;;) {
      if (
        await execute('SELECT 1').then(
          () => true,
          () => false,
        )
      )
        return;
      if (server.exitCode !== null || Date.now() > giveUpAt) throw new Error('ClickHouse does not start.');
      await sleep(100);
    }
  }

  async function end(): Promise<void> {
    const gone = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL'); // it waits for its queries otherwise
    await gone;
  }

  await start();
  return {
    port,
    files,
    execute,
    async restart() {
      await end();
      await start();
    },
    async stop() {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const configOf = (folder: string, port: number, tcpPort: number): string => `<yandex>
  <logger><level>none</level></logger>
  <http_port>${port}</http_port><tcp_port>${tcpPort}</tcp_port><listen_host>127.0.0.1</listen_host>
  <path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path><user_files_path>${folder}/files/</user_files_path>
  <users_config>${folder}/users.xml</users_config>
  <default_profile>default</default_profile><default_database>default</default_database>
  <mark_cache_size>50000000</mark_cache_size><timezone>Europe/Berlin</timezone>
</yandex>`;

const usersOf = ({ user, password }: { user: string; password: string }): string => `<yandex>
  <profiles><default></default></profiles><quotas><default></default></quotas>
  <users>
    <default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
    <${user}><password>${password}</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></${user}>
  </users>
</yandex>`;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('no free port');
  return address.port;
}
