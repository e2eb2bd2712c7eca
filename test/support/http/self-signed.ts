import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A certificate for this name and the address 127.0.0.1. */
export async function selfSigned(name = 'db.test'): Promise<{ certificate: string; key: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-tls-'));
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const names = `subjectAltName=DNS:${name},IP:127.0.0.1`;
  const making = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj'.split(' ');
  try {
    await promisify(execFile)('openssl', [...making, `/CN=${name}`, '-addext', names, '-keyout', key, '-out', certificate]);
    return { certificate: await readFile(certificate, 'utf8'), key: await readFile(key, 'utf8') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
