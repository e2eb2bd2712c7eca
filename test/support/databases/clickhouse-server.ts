import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../http/free-port.ts';

const binary = '/usr/sbin/clickhouse-server';

export interface ClickHouseServer {
  readonly port: number;
  /** The folder that its table functions may read. */
  readonly files: string;
  /** Runs a statement as the administrator and returns the text of the response. */
  execute(sql: string): Promise<string>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Debian's server 18.16 on loopback with a temporary folder. `reader` is a second account. */
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
    const response = await fetch(url, { method: 'POST', body: sql });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
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
      if (server.exitCode !== null || Date.now() > giveUpAt) throw new Error('ClickHouse did not start.');
      await sleep(100);
    }
  }

  async function end(): Promise<void> {
    const gone = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL'); // otherwise it waits for its queries
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
