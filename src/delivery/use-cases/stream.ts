import { type Result, succeeded } from '../../errors.ts';
import type { Continuations } from '../../results/continuation.ts';
import type { Call } from '../call.ts';
import { type Chunk, chunkOf } from './next-page.ts';
import type { DeliverPage, PageForm } from './page.ts';

export type StartStream = (call: Call, form: () => Result<PageForm>) => Promise<Result<Chunk>>;

/** The first chunk is a first page: it comes as soon as its rows are there, while the rest drains. */
export function createStartStream(deliverPage: DeliverPage, continuations: Continuations): StartStream {
  return async (call, form) => {
    const page = await deliverPage(call, form);
    return page.ok ? succeeded(chunkOf(continuations, page.value, 0)) : page;
  };
}
