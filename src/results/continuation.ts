import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { BoundValue } from '../sql-value.ts';

/** Where a reader of a snapshot stands, and whose it is. */
export interface SnapshotPosition {
  readonly snapshotId: string;
  readonly userId: string;
  readonly queryId: string;
  readonly digest: string; // see digestOf
  readonly rowIndex: number; // the first row of the next page
  readonly rowSize: number;
}

export type Continuation =
  | ({ readonly kind: 'page' } & SnapshotPosition)
  | ({ readonly kind: 'stream'; readonly chunkIndex: number } & SnapshotPosition)
  | { readonly kind: 'download'; readonly fileId: string; readonly userId: string; readonly expiresAt: number };

export type ContinuationKind = Continuation['kind'];

export interface Continuations {
  issue(continuation: Continuation): string;
  /** Null for anything that was not issued here, for this kind. */
  read<K extends ContinuationKind>(code: string, kind: K): Extract<Continuation, { kind: K }> | null;
}

export function createContinuations(key: Buffer): Continuations {
  const sign = (kind: string, content: Buffer) =>
    createHmac('sha256', key).update(`${version}:${kind}:`).update(content).digest();
  return {
    issue(continuation) {
      const { kind, ...rest } = continuation;
      const content = Buffer.from(JSON.stringify(rest));
      return version + Buffer.concat([sign(kind, content), content]).toString('base64url');
    },
    read(code, kind) {
      if (code.length > maxCodeLength || !code.startsWith(version)) return null;
      const bytes = Buffer.from(code.slice(version.length), 'base64url');
      // Only the one spelling that was issued counts: the decoder overlooks foreign characters and spare bits.
      if (bytes.length <= macBytes || version + bytes.toString('base64url') !== code) return null;
      const content = bytes.subarray(macBytes);
      if (!timingSafeEqual(bytes.subarray(0, macBytes), sign(kind, content))) return null;
      return { kind, ...JSON.parse(content.toString()) };
    },
  };
}

/** The same query with the same values has the same digest, in whatever order and spelling the values were sent. */
export function digestOf(queryId: string, parameters: readonly BoundValue[]): string {
  const values = parameters.map(({ name, value }) => [name, value] as const);
  values.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return createHash('sha256')
    .update(JSON.stringify([queryId, values]))
    .digest('base64url');
}

const version = 'A';
const macBytes = 32;
const maxCodeLength = 2048;
