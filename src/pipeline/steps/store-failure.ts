import { type Failure, failed, fieldInvalid, type Result } from '../../core/errors.ts';
import { type MetadataStore, type Repositories, StoreError } from '../../store/metadata-store.ts';

/** Messages for rejected writes, specific to what was written. */
export interface StoreTexts {
  readonly taken?: string;
  readonly inUse?: string;
}

export const badCursor = fieldInvalid('cursor', 'Send the nextCursor of the previous page unchanged, or none to start again.');

/** The failure for an error of the store. */
export function storeFailure(error: StoreError, texts: StoreTexts = {}): Failure {
  switch (error.kind) {
    case 'taken':
      return { kind: 'NameTaken', reason: texts.taken ?? 'This name is already taken. Choose another one.' };
    case 'in-use':
      return { kind: 'InUse', reason: texts.inUse ?? 'Something still refers to this. Remove that first.' };
    case 'stale':
      return { kind: 'VersionConflict' };
    case 'bad-cursor':
      return badCursor;
    case 'unavailable':
      return { kind: 'StoreUnavailable', cause: error };
  }
}

/** Runs work whose store errors need specific messages. Errors other than StoreError are defects and are rethrown. */
export async function catchStoreErrors<T>(work: () => Promise<Result<T>>, texts: StoreTexts = {}): Promise<Result<T>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreError) return failed(storeFailure(error, texts));
    throw error;
  }
}

/** A transaction whose store errors need specific messages. */
export function transact<T>(
  store: Pick<MetadataStore, 'transaction'>,
  texts: StoreTexts,
  work: (repositories: Repositories) => Promise<Result<T>>,
): Promise<Result<T>> {
  return catchStoreErrors(() => store.transaction(work), texts);
}
