import './query-to-chart.css';
import { Alert, Code, Group, Paper, Skeleton, Stack, Stepper, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { lazyRouteComponent } from '@tanstack/react-router';
import { Suspense, useEffect, useRef } from 'react';
import { NeedsPermission } from '../administration/needs-permission.tsx';
import type { Query } from '../app/wire.ts';
import { bringIntoView } from '../components/bring-into-view.ts';
import { CopyButton } from '../components/copy/copy-button.tsx';
import { IconAlertTriangle } from '../components/icons.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { clearValues } from '../components/parameters/url-values.ts';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { CannotRun } from '../components/queries/cannot-run.tsx';
import { rememberNamedQuery, useNamedQuery } from '../components/queries/use-named-query.ts';
import { useSearchParams } from '../components/use-search-params.ts';
import { withoutChart } from './chart-url.ts';
import { ParametersStep } from './parameters-step.tsx';
import { useChartWizard } from './use-chart-wizard.ts';
import { useEmbedLink } from './use-embed-link.ts';
import type { Step } from './wizard-state.ts';

const ConfigurationStep = lazyRouteComponent(() => import('./configuration-step.tsx'), 'ConfigurationStep');
const ResultStep = lazyRouteComponent(() => import('./result-step.tsx'), 'ResultStep');

const steps = [
  { label: 'Query Parameters', description: 'Choose what to draw' },
  { label: 'Chart Configuration', description: 'Choose how it looks' },
  { label: 'Chart Result', description: 'View and share' },
] as const;

/** Draws a chart in three steps. The URL contains the query, its values and the chart: `?query=QD_…&@Year=2026&chartType=pie`. */
export function QueryToChartPage() {
  return (
    <NeedsPermission permission="queries.run" title="Query To Chart">
      <QueryToChart />
    </NeedsPermission>
  );
}

function QueryToChart() {
  const [filters, setFilters] = useSearchParams();
  const named = useNamedQuery(filters.query);
  const query = named.query?.canRun === true ? named.query : null;
  const wizard = useChartWizard(query);
  const embed = useEmbedLink(wizard.chart, filters);
  const choose = (chosen: Query | null): void => {
    if (chosen !== null) rememberNamedQuery(chosen);
    setFilters({ ...clearValues(filters), ...withoutChart, query: chosen?.queryName });
  };
  const isNarrow = useMediaQuery('(max-width: 48em)') ?? false;
  const section = useSectionFocus(wizard.step);
  const { isRunning } = wizard.run;
  // loads the next steps during the run
  useEffect(() => {
    if (!isRunning) return;
    void ConfigurationStep.preload?.();
    void ResultStep.preload?.();
  }, [isRunning]);
  useEffect(() => {
    if (wizard.refusals > 0) document.querySelector<HTMLElement>('main [aria-invalid="true"]')?.focus();
  }, [wizard.refusals]);
  return (
    <>
      <PageHeader
        title="Query To Chart"
        tab={query === null ? 'Query To Chart' : `${query.name} · Chart`}
        description={<Described query={query} />}
      />
      <Stack gap="md">
        <Stepper
          active={wizard.step}
          onStepClick={(step) => wizard.goTo(stepOf(step))}
          size="sm"
          className="chart-steps"
          aria-label="Steps"
        >
          {steps.map(({ label, description }, index) => (
            <Stepper.Step
              key={label}
              label={label}
              description={description}
              allowStepSelect={index <= wizard.lastOpenStep && index !== wizard.step}
              aria-current={index === wizard.step ? 'step' : undefined}
              disabled={index > wizard.lastOpenStep}
            />
          ))}
        </Stepper>
        {named.isMissing && (
          <Alert color="yellow" variant="light" icon={<IconAlertTriangle aria-hidden />} role="alert">
            There is no Active query <Code>{filters.query}</Code> that you can run. Choose another query.
          </Alert>
        )}
        {named.query !== null && <CannotRun query={named.query} />}
        <ProblemAlert error={named.error} onRetry={named.retry} />
        <Paper
          withBorder={wizard.step !== 2} // the chart has its own border
          p={wizard.step === 2 ? 0 : { base: 'sm', sm: 'lg' }}
          {...(wizard.step === 2 ? { bg: 'transparent' } : {})}
          component="section"
          ref={section}
          tabIndex={-1}
          aria-label={steps[wizard.step].label}
          style={{ outline: 'none' }}
        >
          {isNarrow && (
            <Title order={2} mb="sm">
              {steps[wizard.step].label}
            </Title>
          )}
          {wizard.step === 0 && <ParametersStep query={query} onChoose={choose} wizard={wizard} />}
          <Suspense fallback={<Skeleton height={320} role="status" aria-label={`Loading ${steps[wizard.step].label}`} />}>
            {wizard.step === 1 && query !== null && <ConfigurationStep query={query} wizard={wizard} />}
            {wizard.step === 2 && query !== null && <ResultStep query={query} wizard={wizard} embed={embed} />}
          </Suspense>
        </Paper>
      </Stack>
    </>
  );
}

function Described({ query }: { readonly query: Query | null }) {
  if (query === null) return 'Draw the result of a query as a chart.';
  return (
    <Group gap={6}>
      {query.name} <span aria-hidden>·</span> <Code>{query.queryName}</Code>
      <CopyButton value={query.queryName} label="Copy technical name" />
    </Group>
  );
}

/** Focuses a new step, because the button that opened it no longer exists. */
function useSectionFocus(step: Step) {
  const section = useRef<HTMLElement>(null);
  const before = useRef(step);
  useEffect(() => {
    if (before.current === step) return;
    before.current = step;
    section.current?.focus({ preventScroll: true });
    bringIntoView(section.current);
  }, [step]);
  return section;
}

const stepOf = (index: number): Step => (index === 2 ? 2 : index === 1 ? 1 : 0);
