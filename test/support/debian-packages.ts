import { execFile } from 'node:child_process';
import { accessSync, constants, writeSync } from 'node:fs';
import { promisify } from 'node:util';

/** What suites need beyond the npm packages: Debian's packages, and the programs in them. */
const debian = {
  chromium: { packages: ['chromium-headless-shell'], programs: ['/usr/lib/chromium/chromium-headless-shell'] },
  clickhouse: { packages: ['clickhouse-server'], programs: ['/usr/sbin/clickhouse-server'] },
  curl: { packages: ['curl'], programs: ['/usr/bin/curl'] },
  freetds: { packages: ['freetds-bin'], programs: ['/usr/bin/tsql'] },
  haproxy: { packages: ['haproxy'], programs: ['/usr/sbin/haproxy'] },
  mariadb: {
    packages: ['mariadb-server-core', 'mariadb-client-core', 'openssl'], // mariadb-install-db calls my_print_defaults of the second
    programs: ['/usr/sbin/mariadbd', '/usr/bin/mariadb-install-db', '/usr/bin/my_print_defaults', '/usr/bin/openssl'],
  },
  nginx: { packages: ['nginx'], programs: ['/usr/sbin/nginx'] },
  systemd: { packages: ['systemd'], programs: ['/usr/bin/systemd-analyze'] },
} as const;

export type DebianProgram = keyof typeof debian;

/**
 * The reason why one of these programs is missing, or null: the suites that need it are skipped with that reason. In CI it is an error.
 * Missing packages are installed if the tests run as root and SLUICE_TEST_APT is not `off`.
 */
export async function programProblem(...names: readonly DebianProgram[]): Promise<string | null> {
  try {
    for (const name of names) await install(debian[name]);
    return null;
  } catch (error) {
    if (process.env.CI === 'true') throw error;
    return error instanceof Error ? error.message : String(error);
  }
}

async function install({ packages, programs }: (typeof debian)[DebianProgram]): Promise<void> {
  if (exist(programs)) return;
  const missing = `not installed: ${packages.join(', ')}`;
  if (process.env.SLUICE_TEST_APT === 'off') throw new Error(`${missing} (SLUICE_TEST_APT=off)`);
  if (process.getuid?.() !== 0) throw new Error(missing);
  // directly, because vitest reports what suites print only after them
  writeSync(
    2,
    `The tests install Debian packages: ${packages.join(', ')} (SLUICE_TEST_APT=off skips the suites that need them)\n`,
  );
  const words = ['install', '-y', '-qq', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120', ...packages];
  const aptGet = () => run('apt-get', words, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  await aptGet().catch(async () => {
    if (exist(programs)) return; // another suite installed them meanwhile
    await run('apt-get', ['update', '-qq']).catch(() => {});
    await aptGet();
  });
}

const run = promisify(execFile);

function exist(programs: readonly string[]): boolean {
  try {
    for (const program of programs) accessSync(program, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
