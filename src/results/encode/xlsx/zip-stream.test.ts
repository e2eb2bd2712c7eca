import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unzip } from '../../../../test/support/results/workbook.ts';
import { ZipStream } from './zip-stream.ts';

const long = Buffer.from(Array.from({ length: 50_000 }, (_, line) => `line ${line * 7919}\n`).join(''));
const files: readonly (readonly [name: string, parts: readonly Buffer[]])[] = [
  ['a/long.txt', [long.subarray(0, 100_000), long.subarray(100_000)]],
  ['empty.txt', []],
  ['größe.txt', [Buffer.from('short')]],
];

async function archive(zip64From?: number): Promise<Buffer> {
  const zip = new ZipStream(zip64From);
  const bytes: Buffer[] = [];
  for (const [name, parts] of files) {
    bytes.push(zip.begin(name));
    for (const part of parts) bytes.push(await zip.write(part));
    bytes.push(await zip.end());
  }
  bytes.push(zip.finish());
  return Buffer.concat(bytes);
}

const whole = Object.fromEntries(files.map(([name, parts]) => [name, Buffer.concat(parts).toString()]));

describe('ZipStream', () => {
  it('compresses its files, which can be read back', async () => {
    const made = await archive();
    expect(Object.fromEntries([...unzip(made)].map(([name, content]) => [name, content.toString()]))).toEqual(whole);
    expect(made.length).toBeLessThan(long.length / 2);
  });

  it('writes the same bytes for the same files', async () => {
    expect(await archive()).toEqual(await archive());
  });

  const hasPython = spawnSync('python3', ['-c', 'import zipfile']).status === 0;
  it.skipIf(!hasPython).each([
    ['small', undefined],
    ['so large that it needs 64-bit fields', 10],
  ])('is read by another program if it is %s (skipped without python3)', async (_, zip64From) => {
    const folder = mkdtempSync(join(tmpdir(), 'zip-'));
    try {
      const path = join(folder, 'made.zip');
      writeFileSync(path, await archive(zip64From));
      const script =
        'import json, sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\n' +
        'print(json.dumps({name: z.read(name).decode() for name in z.namelist()}))';
      expect(JSON.parse(execFileSync('python3', ['-c', script, path], { maxBuffer: 1 << 26 }).toString())).toEqual(whole);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
