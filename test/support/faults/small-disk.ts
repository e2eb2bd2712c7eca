import { execFile } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A folder on a separate disk that can be filled completely. */
export interface SmallDisk {
  fill(): void;
  free(): void;
  remove(): Promise<void>;
}

/** A tmpfs at `folder`, or the reason why it could not be mounted: many containers may not mount, even as root. */
export async function mountSmallDisk(folder: string, mebibytes: number): Promise<SmallDisk | string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const options = `size=${mebibytes}m,mode=0700,uid=${process.getuid?.() ?? 0},gid=${process.getgid?.() ?? 0}`;
  try {
    await asRoot('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', folder);
  } catch (error) {
    return `No file system could be mounted: ${error instanceof Error ? error.message : String(error)}`;
  }
  await chmod(folder, 0o700);
  const filler = join(folder, 'filler');
  return {
    fill: () => fillTo(filler),
    free: () => rmSync(filler, { force: true }),
    remove: async () => {
      await asRoot('umount', '--lazy', folder);
    },
  };
}

const asRoot = (command: string, ...args: string[]) =>
  process.getuid?.() === 0 ? run(command, args) : run('sudo', ['-n', command, ...args]);

/** Writes smaller and smaller pieces until no space is left. */
function fillTo(file: string): void {
  const descriptor = openSync(file, 'a');
  for (const size of [1 << 20, 1 << 16, 4096, 1]) {
    const piece = Buffer.alloc(size, 1);
    try {
      for (;;) if (writeSync(descriptor, piece) < size) break;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
    }
  }
  closeSync(descriptor);
}
