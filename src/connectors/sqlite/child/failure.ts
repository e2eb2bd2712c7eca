import type { FailureReport } from '../protocol.ts';

/** A statement that this process refuses, not SQLite. */
export class Refusal extends Error {}

/** A file that this process refuses to open. The message is for authors. */
export class FileRefusal extends Error {}

export function reportOf(error: unknown, phase: FailureReport['phase']): FailureReport {
  if (error instanceof PhaseError) return error.report;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Refusal) return { phase: 'prepare', message, code: null };
  if (error instanceof FileRefusal) return { phase, message, code: null, isForAuthors: true };
  return { phase, message, code: codeOf(error) };
}

/** Runs a phase before the rows, so that its errors are reported separately. */
export function runPhase<T>(phase: 'open' | 'prepare', work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new PhaseError(reportOf(error, phase));
  }
}

export function codeOf(error: unknown): number | null {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : null;
}

class PhaseError extends Error {
  readonly report: FailureReport;

  constructor(report: FailureReport) {
    super(report.message);
    this.report = report;
  }
}
