import { Alert, Button, Group, SimpleGrid, Stack, Textarea, Title } from '@mantine/core';
import type { FormEvent } from 'react';
import type { Query } from '../app/wire.ts';
import { IconInfoCircle } from '../components/icons.tsx';
import { ParameterFields } from '../components/parameters/parameter-fields.tsx';
import { QueryPicker } from '../components/queries/query-picker.tsx';
import { ResultSummary } from './result-summary.tsx';
import { RunProgress } from './run-progress.tsx';
import type { ChartWizard } from './use-chart-wizard.ts';

export interface ParametersStepProps {
  readonly query: Query | null;
  readonly onChoose: (query: Query | null) => void;
  readonly wizard: ChartWizard;
}

export function ParametersStep({ query, onChoose, wizard }: ParametersStepProps) {
  const { run, values, setValues, parameterErrors, runQuery, goTo, lastOpenStep } = wizard;
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
        {wizard.isEdit && (
          <Alert variant="light" icon={<IconInfoCircle aria-hidden />}>
            {`The embed keeps its parameter values. Values entered here are only for this preview.${describeKept(wizard.keptValues)}`}
          </Alert>
        )}
        {query !== null && (
          <Stack gap="sm">
            <Title order={2} size="h5">
              Parameters
            </Title>
            <ParameterFields
              queryName={query.queryName}
              parameters={query.parameters}
              values={values}
              onChange={setValues}
              errors={parameterErrors}
              disabled={run.isRunning}
            />
          </Stack>
        )}
        <RunProgress wizard={wizard} name={query?.name ?? ''} shownAtFields={query?.parameters.map(({ name }) => name) ?? []} />
        <ResultSummary wizard={wizard} />
        <Group justify="flex-end">
          {lastOpenStep > 0 && (
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

const describeKept = (names: readonly string[]): string =>
  names.length === 0 ? '' : ` The stored value of ${names.join(', ')} is not shown.`;

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
