import { type Failure, failed, fieldInvalid, type Result } from '../errors.ts';
import { StoreError } from '../store/metadata-store.ts';

/** Messages for rejected writes, specific to what was written. */
export interface StoreTexts {
  readonly taken?: string;
  readonly inUse?: string;
}

export const badCursor = fieldInvalid('cursor', 'Send the nextCursor of the previous page unchanged, or none to start again.');

/** Converts a StoreError to a Failure. Other errors are defects and are rethrown. */
function storeFailure(error: unknown, texts: StoreTexts = {}): Failure {
  if (!(error instanceof StoreError)) throw error;
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

/** Runs a use-case and converts errors of the store to Failures. */
export async function catchStoreErrors<T>(work: () => Promise<Result<T>>, texts: StoreTexts = {}): Promise<Result<T>> {
  try {
    return await work();
  } catch (error) {
    return failed(storeFailure(error, texts));
  }
}
