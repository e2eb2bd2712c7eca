import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Installs the Debian packages that provide `programs` unless all of them exist already. Throws without root rights. */
export async function installPackages(packages: readonly string[], programs: readonly string[]): Promise<void> {
  if (exist(programs)) return;
  if (process.getuid?.() !== 0) throw new Error(`not installed: ${packages.join(', ')}`);
  const install = () =>
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120', ...packages], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  await install().catch(async () => {
    if (exist(programs)) return; // another suite installed them meanwhile
    await run('apt-get', ['update', '-qq']).catch(() => {});
    await install();
  });
}

function exist(programs: readonly string[]): boolean {
  try {
    for (const program of programs) accessSync(program, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
