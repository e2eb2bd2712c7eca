import type { Config } from '../../config/config.ts';
import { failed, type Result, succeeded } from '../../errors.ts';
import type { Continuations } from '../../results/continuation.ts';
import type { Snapshots } from '../../results/snapshot/snapshots.ts';
import type { Call } from '../call.ts';
import type { Deliver, QueryForm } from '../deliver.ts';
import { type DeliverPage, type Page, type PageForm, positionIn, readPage } from './page.ts';

/** A chunk of a stream is a page with an index. */
export interface Chunk {
  readonly page: Page; // `code` is the token of the next chunk
  readonly chunkIndex: number;
}

export type StartStream = (call: Call, form: () => Result<PageForm>) => Promise<Result<Chunk>>;

/** The first chunk is a first page: it is sent as soon as its rows arrive, while the rest drains into a snapshot. */
export function createStartStream(deliverPage: DeliverPage, continuations: Continuations): StartStream {
  return async (call, form) => {
    const page = await deliverPage(call, form);
    return page.ok ? succeeded(chunkOf(continuations, page.value, 0)) : page;
  };
}

export interface StreamParts {
  readonly deliver: Deliver;
  readonly snapshots: Snapshots;
  readonly continuations: Continuations;
  readonly config: () => Config;
}

/** The query and its values are those that the token was issued for. */
export interface ChunkForm {
  readonly token: string;
  readonly maxPageBytes: number;
}

export type ResumeStream = (call: Call, form: () => Result<ChunkForm>) => Promise<Result<Chunk>>;

export function createResumeStream(parts: StreamParts): ResumeStream {
  const { deliver, continuations } = parts;
  return (call, readForm) => {
    const form = (): Result<ChunkForm & QueryForm> => {
      const read = readForm();
      return read.ok ? succeeded({ ...read.value, queryName: '', parameters: [] }) : read;
    };
    const positionOf = ({ token }: ChunkForm) => positionIn(continuations, token, 'stream');
    return deliver({ call, action: 'query.next-chunk', form, positionOf }, async (authorised) => {
      const position = positionOf(authorised.form);
      if (!position.ok) return position;
      const { rowIndex, rowSize, chunkIndex } = position.value;
      const { maxPageBytes } = authorised.form;
      const page = await readPage(parts, authorised, position.value, { rowIndex, rowSize, maxPageBytes });
      if (page.ok) return succeeded(chunkOf(continuations, page.value, chunkIndex));
      return page.failure.kind === 'ContinuationExpired' ? failed({ ...page.failure, of: 'stream' }) : page;
    });
  };
}

/** The same position in the same snapshot, with a token that is valid for streams only. */
function chunkOf(continuations: Continuations, page: Page, chunkIndex: number): Chunk {
  const position = page.code === null ? null : continuations.read(page.code, 'page');
  const code = position === null ? null : continuations.issue({ ...position, kind: 'stream', chunkIndex: chunkIndex + 1 });
  return { page: { ...page, code }, chunkIndex };
}
