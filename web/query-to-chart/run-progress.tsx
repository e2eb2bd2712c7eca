import { useEffect, useRef } from 'react';
import { bringIntoView } from '../components/bring-into-view.ts';
import { isShownAtFields } from '../components/fields/field-errors.ts';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { CancelledNote } from '../components/run/cancelled-note.tsx';
import { RunStatus } from '../components/run/run-status.tsx';
import type { ChartWizard } from './use-chart-wizard.ts';

export interface RunProgressProps {
  readonly wizard: ChartWizard;
  readonly name: string; // of the query
  readonly shownAtFields?: readonly string[];
}

/** The progress of a run, or its error, unless the error is shown at a field. */
export function RunProgress({ wizard: { run }, name, shownAtFields = [] }: RunProgressProps) {
  const { startedAt, rowsSoFar, cancel, state, durationMs, page } = run;
  const container = useRef<HTMLDivElement>(null);
  const problem = run.problem === null || isShownAtFields(run.problem, shownAtFields) ? null : run.problem;
  useEffect(() => {
    if (problem !== null) bringIntoView(container.current);
  }, [problem]);
  useEffect(() => {
    if (state === 'cancelled') container.current?.focus({ preventScroll: true }); // the focused button no longer exists
  }, [state]);
  if (startedAt === null && problem === null && state !== 'cancelled') return null;
  return (
    <div ref={container} tabIndex={-1} style={{ outline: 'none' }}>
      <ProblemAlert
        error={problem}
        shownAtFields={shownAtFields}
        {...(problem?.status === 403 ? { title: `You cannot run “${name}”` } : {})}
      />
      <CancelledNote afterMs={state === 'cancelled' ? durationMs : null} keepsResult={page !== null} />
      <RunStatus startedAt={startedAt} rowsSoFar={rowsSoFar} onCancel={cancel} />
    </div>
  );
}
