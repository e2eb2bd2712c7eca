import { Button, Group, SimpleGrid, Stack, Textarea, Title } from '@mantine/core';
import type { FormEvent } from 'react';
import type { Query } from '../app/wire.ts';
import { ParameterFields } from '../components/parameter-fields.tsx';
import { ProblemAlert } from '../components/problem-alert.tsx';
import { QueryPicker } from '../components/query-picker.tsx';
import { RunStatus } from '../components/run-status.tsx';
import { ResultSummary } from './result-summary.tsx';
import type { ChartWizard } from './use-chart-wizard.ts';

export interface ParametersStepProps {
  readonly query: Query | null;
  readonly onChoose: (query: Query | null) => void;
  readonly wizard: ChartWizard;
}

export function ParametersStep({ query, onChoose, wizard }: ParametersStepProps) {
  const { run, values, setValues, parameterErrors, runQuery, goTo, reached } = wizard;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void runQuery();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, md: 2 }} verticalSpacing="sm">
          <Stack gap="sm">
            <QueryPicker value={query} onChange={onChoose} />
            <FromQuery label="Tip" text={query?.tip} minRows={1} />
          </Stack>
          <FromQuery label="Description" text={query?.description} minRows={4} />
        </SimpleGrid>
        {query !== null && (
          <Stack gap="sm">
            <Title order={2} size="h5">
              Parameters
            </Title>
            <ParameterFields
              parameters={query.parameters}
              values={values}
              onChange={setValues}
              errors={parameterErrors}
              disabled={run.isRunning}
            />
          </Stack>
        )}
        <RunProblem wizard={wizard} name={query?.name ?? ''} shownAtFields={query?.parameters.map(({ name }) => name) ?? []} />
        <RunStatus startedAt={run.startedAt} rowsSoFar={run.rowsSoFar} onCancel={run.cancel} />
        <ResultSummary wizard={wizard} />
        <Group justify="flex-end">
          {reached > 0 && (
            <Button variant="default" onClick={() => goTo(1)}>
              Next
            </Button>
          )}
          <Button type="submit" disabled={query === null} loading={run.isRunning}>
            Run Query
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** What the last run failed at, unless a field says it. A refusal names the query. */
export function RunProblem(props: {
  readonly wizard: ChartWizard;
  readonly name: string;
  readonly shownAtFields?: readonly string[];
}) {
  const { wizard, name, shownAtFields = [] } = props;
  const { problem } = wizard.run;
  if (problem === null) return null;
  const isAtFields = problem.fields.length > 0 && problem.fields.every(({ field }) => shownAtFields.includes(field));
  if (isAtFields) return null;
  return (
    <ProblemAlert
      error={problem}
      shownAtFields={shownAtFields}
      {...(problem.status === 403 ? { title: `You may not run “${name}”` } : {})}
    />
  );
}

function FromQuery(props: { readonly label: string; readonly text: string | undefined; readonly minRows: number }) {
  const { label, text, minRows } = props;
  return (
    <Textarea
      label={label}
      readOnly
      variant="filled"
      autosize
      minRows={minRows}
      maxRows={6}
      value={text ?? ''}
      placeholder={text === undefined ? 'Filled in from the query' : 'None'}
    />
  );
}
