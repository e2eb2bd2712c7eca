import { failed, type Result, succeeded } from '../../core/errors.ts';
import type { Continuations } from '../../results/continuation.ts';
import type { ContinueForm } from '../authorized.ts';
import type { Call } from '../call.ts';
import type { Deliver } from '../deliver.ts';
import { type DeliverPage, type Page, type PageForm, type PageOptions, type PageParts, readNextPage } from './page.ts';

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
    return page.ok ? succeeded(toChunk(continuations, page.value, 0)) : page;
  };
}

/** The query and its values are those that the token was issued for. */
export type ChunkForm = ContinueForm & Pick<PageOptions, 'rowSize' | 'view'>;

export type ResumeStream = (call: Call, form: () => Result<ChunkForm>) => Promise<Result<Chunk>>;

export function createResumeStream(deliver: Deliver, parts: PageParts): ResumeStream {
  return (call, form) =>
    deliver({ call, action: 'query.next-chunk', form }, async (authorized) => {
      const { position } = authorized;
      if (position === null) return failed({ kind: 'ContinuationInvalid', of: 'stream' });
      const page = await readNextPage(parts, authorized, position);
      if (page.ok) return succeeded(toChunk(parts.continuations, page.value, position.chunkIndex ?? 0));
      return page.failure.kind === 'ContinuationExpired' ? failed({ ...page.failure, of: 'stream' }) : page;
    });
}

/** The same position in the same snapshot, with a token that is valid for streams only. If it is still running, the same chunk is requested again. */
function toChunk(continuations: Continuations, page: Page, chunkIndex: number): Chunk {
  const position = page.code === null ? null : continuations.read(page.code, 'page');
  const code =
    position === null
      ? null
      : continuations.issue({ ...position, kind: 'stream', chunkIndex: page.isRunning ? chunkIndex : chunkIndex + 1 });
  return { page: { ...page, code }, chunkIndex };
}
