import { Button, Group, Kbd, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useSession } from '../../../app/session.tsx';
import type { QueryParameter } from '../../../app/wire.ts';
import { CurlButton } from '../../../components/copy/curl-button.tsx';
import { errorsByField, isShownAtFields } from '../../../components/fields/field-errors.ts';
import { IconPlayerPlay } from '../../../components/icons.tsx';
import {
  findMissing,
  type ParameterValues,
  toInitialValues,
  toValuesByName,
} from '../../../components/parameters/parameter-values.ts';
import { ProblemAlert } from '../../../components/problem-alert.tsx';
import { CancelledNote } from '../../../components/run/cancelled-note.tsx';
import { durationText } from '../../../components/run/elapsed.tsx';
import { RunStatus } from '../../../components/run/run-status.tsx';
import { listGridColumns } from '../../../grid/grid-columns.ts';
import { bodyOf, type ParameterDraft, type QueryDraft } from '../query-draft.ts';
import type { Preview, Previewed } from '../use-preview.ts';
import type { QueryEditor } from '../use-query-editor.ts';
import { Section } from './section.tsx';

const MAX_ROWS = 100;
// only for queries with parameters
const ParameterFields = lazy(() =>
  import('../../../components/parameters/parameter-fields.tsx').then((module) => ({ default: module.ParameterFields })),
);
const WhyEmpty = lazy(() => import('./why-empty.tsx').then((module) => ({ default: module.WhyEmpty })));
const ResultGrid = lazy(() => import('../../../grid/result-grid.tsx').then((module) => ({ default: module.ResultGrid })));

/** A preview run of the SQL in the editor. */
export interface PreviewRun {
  readonly preview: Preview;
  readonly values: ParameterValues;
  readonly typed: Typed;
  readonly setValues: (values: ParameterValues) => void;
  readonly as: string; // user whose identity is used; '': the author's
  readonly setAs: (username: string) => void;
  readonly errors: Readonly<Record<string, string>>;
  readonly problem: unknown;
  readonly failed: boolean; // the last run failed; the rows shown are from an earlier one
  readonly run: (values?: ParameterValues) => Promise<void>; // other values replace those in the form
}

type Typed = Readonly<Record<string, string | null | undefined>>;

export function usePreviewRun(editor: QueryEditor, preview: Preview, before: Typed = {}): PreviewRun {
  const { draft, dialect, parameters } = editor;
  // undefined: cleared by the user, so that the default does not reappear
  const [typed, setTyped] = useState(before);
  const [as, setAs] = useState('');
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState<unknown>(null);
  const [failed, setFailed] = useState(false);
  const fields = parameters.map(asField);
  const values = omitUndefined({ ...toInitialValues(fields), ...typed });

  const setValues = (next: ParameterValues) => {
    setTyped(Object.fromEntries(parameters.map(({ name }) => [name, next[name]])));
    setErrors({});
  };
  const run = async (sentValues = values) => {
    if (sentValues !== values) setValues(sentValues);
    const missing = findMissing(fields, sentValues);
    setErrors(missing);
    setProblem(null);
    if (Object.keys(missing).length > 0) return;
    const { database, sql, parameters: declared } = bodyOf(draft, dialect);
    const identity = as.trim() === '' ? {} : { as: as.trim() };
    const request = { database, sql, parameters: declared, values: toValuesByName(fields, sentValues), ...identity };
    const failure = await preview.run(request);
    setFailed(failure !== null);
    const names = parameters.map(({ name }) => name);
    if (failure === null) return;
    if (isShownAtFields(failure, names)) setErrors(errorsByField(failure.fields));
    else setProblem(editor.showPreviewError(failure));
  };
  return { preview, values, typed, setValues, as, setAs, errors, problem, failed, run };
}

export function PreviewSection({ editor, running }: { readonly editor: QueryEditor; readonly running: PreviewRun }) {
  const { parameters, draft } = editor;
  const { can } = useSession();
  const { preview, values, setValues, as, setAs, errors, problem, failed, run } = running;
  const isBound = parameters.some(({ boundTo }) => boundTo !== null);
  const isOld = failed || preview.cancelledMs !== null;
  const isStale = isOld || preview.startedAt !== null;
  return (
    <Section
      title="Preview"
      description={`Runs the SQL in the editor, read-only, and shows up to ${MAX_ROWS} rows.`}
      actions={
        <Button
          variant="light"
          leftSection={<IconPlayerPlay size={16} aria-hidden />}
          rightSection={
            <Kbd size="xs" visibleFrom="xs">
              Ctrl ↵
            </Kbd>
          }
          aria-keyshortcuts="Control+Enter"
          disabled={draft.database === '' || draft.sql.trim() === ''}
          onClick={() => void run()}
        >
          Preview
        </Button>
      }
    >
      {parameters.length > 0 && (
        <Suspense fallback={<Skeleton height={80} />}>
          <ParameterFields parameters={parameters.map(asField)} values={values} onChange={setValues} errors={errors} />
        </Suspense>
      )}
      {isBound && can('users.manage') && (
        <TextInput
          label="Preview as"
          description="A user name. Bound parameters take their values from this account. The audit trail records it."
          placeholder="Yourself"
          value={as}
          onChange={({ currentTarget: { value } }) => setAs(value)}
          autoComplete="off"
          spellCheck={false}
          maw={360}
        />
      )}
      <RunStatus startedAt={preview.startedAt} rowsSoFar={null} onCancel={preview.cancel} />
      <ProblemAlert error={problem} />
      <CancelledNote afterMs={preview.cancelledMs} keepsResult={preview.shown !== null} />
      {preview.shown !== null && <Rows shown={preview.shown} draft={draft} isOld={isOld} isStale={isStale} />}
      {preview.shown?.rows.data.length === 0 && !isStale && (
        <Suspense>
          <WhyEmpty
            shown={preview.shown}
            parameters={parameters}
            onWithout={(names) => void run({ ...values, ...Object.fromEntries(names.map((name) => [name, null])) })}
          />
        </Suspense>
      )}
    </Section>
  );
}

interface RowsProps {
  readonly shown: Previewed;
  readonly draft: Pick<QueryDraft, 'columns'>;
  readonly isOld: boolean;
  readonly isStale: boolean;
}

function Rows({ shown, draft, isOld, isStale }: RowsProps) {
  const { rows, body, durationMs } = shown;
  const columns = useMemo(() => {
    const known = rows.columns.map(({ name, type }) => {
      const format = draft.columns.find((column) => column.name === name)?.format;
      return { label: name, kind: type === 'numeric' ? 'float' : '', type: '', ...(format && { format }) };
    });
    return listGridColumns(known, rows.data);
  }, [rows, draft.columns]);
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm" role="status" className="tabular">
          {isOld && 'From the previous run: '}
          {rowsText(rows.data.length)} in {durationText(durationMs)}
        </Text>
        <CurlButton operation="POST /api/v1/queries/preview" parts={{ body }} />
      </Group>
      {rows.data.length > 0 && (
        <Suspense fallback={<Skeleton height={200} />}>
          <ResultGrid
            label="Preview rows"
            columns={columns}
            rows={rows.data}
            totalRows={rows.data.length < MAX_ROWS ? rows.data.length : null} // there may be more
            isStale={isStale}
            moreRowsNote={rows.data.length < MAX_ROWS ? null : `The preview shows the first ${MAX_ROWS} rows. There may be more.`}
            maxHeight={360}
          />
        </Suspense>
      )}
    </Stack>
  );
}

function rowsText(count: number): string {
  if (count === 0) return 'No rows';
  if (count === 1) return '1 row';
  return count === MAX_ROWS ? `The first ${count} rows` : `${count} rows`;
}

const omitUndefined = (values: Readonly<Record<string, string | null | undefined>>): ParameterValues =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));

const asField = ({ boundTo, choices, default: defaultValue, ...parameter }: ParameterDraft): QueryParameter => ({
  ...parameter,
  ...(boundTo === null ? {} : { boundTo }),
  ...(choices === null ? {} : { choices }),
  ...(defaultValue === null ? {} : { default: defaultValue }),
});
