import { Button, Group, Kbd, Paper, Stack } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useLocation } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { FileFormat } from '../../../src/core/file-format.ts';
import type { Query } from '../../app/wire.ts';
import { CodeButton } from '../../client-code/code-button.tsx';
import { errorsByField } from '../../components/fields/field-errors.ts';
import { IconPlayerPlay } from '../../components/icons.tsx';
import { ParameterFields } from '../../components/parameters/parameter-fields.tsx';
import {
  selectSendable,
  findMissing,
  type ParameterValues,
  toSentParameters,
} from '../../components/parameters/parameter-values.ts';
import { urlOfValues } from '../../components/parameters/url-values.ts';
import { RunStatus } from '../../components/run/run-status.tsx';
import { useIsPhone } from '../../components/use-is-phone.ts';
import { useSearchParams } from '../../components/use-search-params.ts';
import { DataLinkButton } from '../../data-links/data-link-button.tsx';
import { useResultPages } from '../../grid/use-result-pages.ts';
import { ExportButtons, ExportStatus } from './export-bar.tsx';
import { QueryResult, RUN_FORM } from './query-result.tsx';
import styles from './run.module.css';
import { useExport } from './use-export.ts';

export interface QueryRunnerProps {
  readonly query: Query;
  readonly values: ParameterValues;
  readonly onChange: (values: ParameterValues) => void;
}

/** The parameters, the Run and export buttons, and the result. */
export function QueryRunner({ query, values, onChange }: QueryRunnerProps) {
  const { parameters } = query;
  const [, setFilters] = useSearchParams();
  const [missing, setMissing] = useState<Record<string, string>>({});
  const form = useRef<HTMLFormElement>(null);
  const pages = useResultPages(query);
  const exporting = useExport();
  const { run } = pages;
  const problems = [run.problem, exporting.problem].flatMap((problem) => problem?.fields ?? []);
  const errors = { ...errorsByField(problems), ...missing };
  const names = parameters.map(({ name }) => name);

  /** Returns the parameters to send, or null if a value is missing, and then shows an error at its field. */
  const validate = () => {
    const absent = findMissing(parameters, values);
    setMissing(absent);
    return Object.keys(absent).length === 0 ? toSentParameters(parameters, values) : null;
  };
  // after the errors are rendered: a dropdown opens on focus and would otherwise cover its own error
  useEffect(() => {
    const first = selectSendable(parameters).findIndex(({ name }) => name in missing);
    if (first >= 0) focusField(form.current, first);
  }, [missing, parameters]);
  const start = () => {
    const request = validate();
    if (request === null) return;
    setFilters(urlOfValues(parameters, values));
    void pages.start(request);
  };
  const exportAs = (format: FileFormat) => {
    const request = validate();
    if (request !== null) void exporting.begin(format, query.queryName, request);
  };
  useHotkeys([['mod+Enter', start]], []);
  const { state } = useLocation(); // another one for each navigation, also to the page that is open
  const isRequested = state.run === true && query.epilogue === null;
  useEffect(() => {
    if (isRequested) start(); // replaces the history entry, so that a reload does not run the query again
    // oxlint-disable-next-line react/exhaustive-deps -- once for each request
  }, [state]);
  useEffect(() => {
    if (!isRequested) pages.restore(toSentParameters(parameters, values));
    // oxlint-disable-next-line react/exhaustive-deps -- only when mounted
  }, []);
  const isRunning = run.state === 'running';
  const isPhone = useIsPhone();

  return (
    <Stack gap="md">
      <Paper
        withBorder
        p={{ base: 'sm', sm: 'md' }}
        renderRoot={(props) => (
          <form
            {...props}
            ref={form}
            id={RUN_FORM}
            className={`${props.className} no-print`}
            aria-label="Run"
            noValidate
            onSubmit={(event: FormEvent) => {
              event.preventDefault();
              start();
            }}
          />
        )}
      >
        <Stack gap="md">
          <ParameterFields
            queryName={query.queryName}
            parameters={parameters}
            values={values}
            onChange={(next) => {
              setMissing({});
              onChange(next);
            }}
            errors={errors}
            foldsOptional={isPhone}
          />
          <Group justify="space-between" gap="sm" className={styles.actions ?? ''}>
            <Button
              type="submit"
              className={styles.run ?? ''}
              leftSection={<IconPlayerPlay size={16} aria-hidden />}
              rightSection={<RunShortcut />}
              loading={isRunning}
            >
              Run
            </Button>
            <Group gap="sm">
              <ExportButtons isBusy={exporting.state === 'running'} onExport={exportAs} />
              <DataLinkButton query={query} values={values} size="compact-sm" />
              <CodeButton query={query} values={values} size="compact-sm" />
            </Group>
          </Group>
          <ExportStatus work={exporting} shownAtFields={names} />
        </Stack>
      </Paper>
      <RunStatus startedAt={run.startedAt} rowsSoFar={run.rowsSoFar} onCancel={run.cancel} />
      <QueryResult query={query} pages={pages} onRetry={start} />
    </Stack>
  );
}

const RunShortcut = () => (
  <Kbd size="xs" visibleFrom="xs" aria-hidden>
    Ctrl ↵
  </Kbd>
);

function focusField(form: HTMLFormElement | null, index: number): void {
  form?.querySelectorAll<HTMLInputElement>('input:not([type=hidden])')[index]?.focus();
}
