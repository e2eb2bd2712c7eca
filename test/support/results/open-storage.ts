import { tmpdir } from 'node:os';
import { createDiskExports } from '../../../src/results/storage/disk-exports.ts';
import { createDiskSnapshots } from '../../../src/results/storage/disk-snapshots.ts';
import { openBucket } from '../../../src/results/storage/s3/bucket.ts';
import { createS3Exports } from '../../../src/results/storage/s3/s3-exports.ts';
import { createS3Snapshots } from '../../../src/results/storage/s3/s3-snapshots.ts';

/** A storage by its address, also for other processes: a folder, or `http://127.0.0.1:port/bucket/prefix/` of an S3 server. */
export async function openStorage(address: string, now: () => number) {
  if (!address.startsWith('http:')) {
    return { snapshots: createDiskSnapshots({ folder: address, now }), exports: createDiskExports(address) };
  }
  const { origin, pathname } = new URL(address);
  const [, name = '', ...prefix] = pathname.split('/');
  const bucket = await openBucket({
    bucket: name,
    prefix: prefix.join('/'),
    endpoint: origin,
    region: 'us-east-1',
    forcePathStyle: true,
  });
  return {
    snapshots: createS3Snapshots({ bucket, now }),
    exports: createS3Exports({ bucket, redirect: true, scratch: tmpdir() }),
  };
}
