import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

declare module 'vitest' {
  interface ProvidedContext {
    dataTemplate: string; // a data folder after its first start, created once per run; services under test get a copy
    demoFile: string; // its demo database
  }
}

export const ADMIN_PASSWORD = 'the first of all passwords';

const SLUICE = resolve(import.meta.dirname, '../../../bin/sluice');

/** Starts and stops a service on an empty folder, so that the services under test skip the first start, which takes a second. */
export async function createDataTemplate(): Promise<{ data: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-template-'));
  const { PATH, HOME } = process.env;
  const service = spawn(SLUICE, ['start'], {
    cwd: folder,
    env: { PATH, HOME, SLUICE_PORT: '0', SLUICE_ADMIN_PASSWORD: ADMIN_PASSWORD },
  });
  const exited = once(service, 'exit');
  let output = '';
  for (const stream of [service.stdout, service.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (/^Sluice is ready at /m.test(output)) service.kill('SIGTERM');
    });
  }
  const [code] = await exited;
  if (code !== 0) throw new Error(`The service did not start: ${output}`);
  return { data: join(folder, 'data'), remove: () => rm(folder, { recursive: true, force: true }) };
}
