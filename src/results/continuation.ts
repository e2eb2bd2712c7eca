import { createCipheriv, createDecipheriv, createHmac, hash } from 'node:crypto';
import { changesWithinDay } from '../catalog/relative-moment.ts';
import type { BoundParameter, BoundValue, SqlType } from '../core/sql-value.ts';
import { ID_BYTES, packPosition, type SnapshotPosition, unpackPosition } from './snapshot-position.ts';

export type Continuation =
  | ({ readonly kind: 'page' } & SnapshotPosition)
  | ({ readonly kind: 'stream'; readonly chunkIndex: number } & SnapshotPosition)
  | ({ readonly kind: 'export' } & SnapshotPosition) // a file that is still being written
  | { readonly kind: 'list'; readonly userId: string; readonly cursor: string } // position in a list of the catalog
  | {
      readonly kind: 'input';
      readonly userId: string;
      readonly queryId: string;
      readonly tool: string;
      readonly lists: readonly string[]; // parameters whose values were entered as one text
      readonly expiresAt: number;
    } // a form that was sent
  | {
      readonly kind: 'task'; // a call of MCP that is repeated until its rows are there
      readonly tool: string;
      readonly arguments: Readonly<Record<string, unknown>>;
      readonly code: string; // of its result
      readonly createdAt: number;
    }
  | { readonly kind: 'download'; readonly fileId: string; readonly userId: string; readonly expiresAt: number };

export interface Continuations {
  issue(continuation: Continuation): string;
  /** Null unless the code was issued here for this kind. */
  read<K extends Continuation['kind']>(code: string, kind: K): Extract<Continuation, { kind: K }> | null;
}

/** Codes are encrypted, authenticated and bound to their kind: a code cannot be altered, read, or used as one of another kind. */
export function createContinuations(key: Buffer): Continuations {
  const bindingOf = (kind: string) => Buffer.from(`${version}:${kind}`);
  const nonceKey = createHmac('sha256', key).update('nonce').digest();
  // derived from the content, so that a repeated request returns the same bytes
  const nonceOf = (kind: string, content: Buffer) =>
    createHmac('sha256', nonceKey).update(`${kind}:`).update(content).digest().subarray(0, nonceBytes);
  return {
    issue(continuation) {
      const { kind } = continuation;
      const content = encode(continuation);
      const nonce = nonceOf(kind, content);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(bindingOf(kind));
      const body = Buffer.concat([cipher.update(content), cipher.final()]);
      return version + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
    },
    read(code, kind) {
      if (code.length > MAX_CODE_LENGTH || !code.startsWith(version)) return null;
      const bytes = Buffer.from(code.slice(version.length), 'base64url');
      // the decoder ignores foreign characters and spare bits: accept only the canonical encoding
      if (bytes.length <= nonceBytes + tagBytes || version + bytes.toString('base64url') !== code) return null;
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
        decipher.setAAD(bindingOf(kind)).setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
        const content = Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
        return { kind, ...(positions.has(kind) ? unpackPosition(content) : JSON.parse(content.toString())) };
      } catch {
        return null;
      }
    },
  };
}

function encode({ kind, ...content }: Continuation): Buffer {
  return 'snapshotId' in content ? packPosition(content) : Buffer.from(JSON.stringify(content));
}

/**
 * Equal queries with equal values have equal digests, whatever the order and spelling of the values in the request. A relative
 * moment is compared by its expression: the second page may be requested on the next day. Values from the caller do not count: the
 * code belongs to its user, and stays valid when an attribute changes.
 */
export const digestOf = (queryId: string, parameters: readonly BoundParameter[]): string =>
  Buffer.from(
    digest(
      queryId,
      parameters.filter(({ fromCaller }) => fromCaller !== true),
      ({ value, expression }) => expression ?? value,
    ),
    'base64url',
  ).toString('base64url', 0, ID_BYTES); // enough to distinguish the calls of one user

/** Equal for executions that return the same rows. The value of `now` is never the same twice, so it is compared by its expression. */
export const rowsDigestOf = (queryId: string, parameters: readonly BoundParameter[]): string =>
  digest(queryId, parameters, ({ value, expression }, type) =>
    expression !== undefined && changesWithinDay(expression, type.name) ? expression : value,
  );

/** Equal for executions whose rows are shown in the same place, also those of another day. */
export const figureDigestOf = (queryId: string, parameters: readonly BoundParameter[]): string =>
  digest(queryId, parameters, ({ value, expression }) => expression ?? value);

type Compared = (item: Pick<BoundValue, 'value' | 'expression'>, type: SqlType) => string | null;

function digest(queryId: string, parameters: readonly BoundParameter[], compared: Compared): string {
  const values = parameters.map((each) => {
    const { name, type } = each;
    return [name, 'items' in each ? each.items.map((item) => compared(item, type)) : compared(each, type)] as const;
  });
  values.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return hash('sha256', JSON.stringify([queryId, values]), 'base64url');
}

const positions: ReadonlySet<string> = new Set(['page', 'stream', 'export']);
const version = 'C';
const nonceBytes = 12;
const tagBytes = 16;
/** Longer codes are not read. */
export const MAX_CODE_LENGTH = 2048;
