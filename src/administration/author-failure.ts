import { ConnectorError } from '../connectors/connector.ts';
import { type Failure, failed, type Result } from '../core/errors.ts';
import { findCanceller } from '../pipeline/steps/find-canceller.ts';
import { CellTooLargeError } from '../results/encode/json-rows.ts';

export const AUTHOR_MS = 15_000;

/**
 * Runs an author's request to a database with a time limit. Only authors see the database's error messages. Errors other than
 * ConnectorError are defects and are rethrown.
 */
export async function explainToAuthor<T>(
  caller: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result<T>>,
): Promise<Result<T>> {
  const timeout = AbortSignal.timeout(AUTHOR_MS);
  try {
    return await work(AbortSignal.any([caller, timeout]));
  } catch (error) {
    return failed(authorFailure(error, timeout.aborted && !caller.aborted));
  }
}

export const sqlInvalid = ({ message, position }: ConnectorError, field: 'sql' | 'epilogue'): Failure => ({
  kind: 'SqlInvalid',
  message,
  field,
  ...position,
});

function authorFailure(error: unknown, outOfTime: boolean): Failure {
  if (error instanceof CellTooLargeError) return { kind: 'CellTooLarge', cause: error };
  if (!(error instanceof ConnectorError)) throw error;
  switch (error.kind) {
    case 'invalid':
    case 'failed':
      return sqlInvalid(error, 'sql');
    case 'timeout':
      return { kind: 'QueryTimedOut', cause: error };
    case 'cancelled':
      return outOfTime
        ? { kind: 'QueryTimedOut', cause: error }
        : { kind: 'QueryCancelled', cause: error, ...findCanceller(error) };
    case 'unavailable':
      return { kind: 'DatabaseUnavailable', cause: error, ...(error.isForAuthors ? { reason: error.message } : {}) };
  }
}
