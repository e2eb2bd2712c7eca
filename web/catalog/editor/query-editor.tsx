import { Button, Code, Group, Kbd, Skeleton, Stack, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { Link, useBlocker, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Problem } from '../../app/problem.ts';
import { useSession } from '../../app/session.tsx';
import type { Database } from '../../app/wire.ts';
import { confirm } from '../../components/confirm.tsx';
import { CopyButton } from '../../components/copy/copy-button.tsx';
import { IconArrowBackUp, IconCopy, IconDeviceFloppy, IconPlayerPlay } from '../../components/icons.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { toast } from '../../components/toast.ts';
import type { SearchParams } from '../../components/use-search-params.ts';
import { keepDraft, takeKeptDraft } from './kept-draft.ts';
import type { LoadedQuery } from './load-query.ts';
import { handOver, takeOver } from './preview-handover.ts';
import type { QueryDraft } from './query-draft.ts';
import styles from './query-editor.module.css';
import { AccessSection, LimitsSection } from './sections/access-section.tsx';
import { ColumnsSection } from './sections/columns-section.tsx';
import { DetailsSection } from './sections/details-section.tsx';
import { EpilogueSection } from './sections/epilogue-section.tsx';
import { ParametersSection } from './sections/parameters-section.tsx';
import { PreviewSection, usePreviewRun } from './sections/preview-section.tsx';
import { SqlSection } from './sections/sql-section.tsx';
import { StateSection } from './sections/state-section.tsx';
import { usePreview } from './use-preview.ts';
import { type QueryEditor as Editor, useQueryEditor } from './use-query-editor.ts';

const ConflictAlert = lazy(() => import('./conflict-alert.tsx').then((module) => ({ default: module.ConflictAlert })));
const ChartSection = lazy(() => import('./sections/chart-section.tsx').then((module) => ({ default: module.ChartSection })));
const VersionsSection = lazy(() =>
  import('./sections/versions-section.tsx').then((module) => ({ default: module.VersionsSection })),
);

export interface QueryEditorProps {
  readonly loaded: LoadedQuery | null; // null: a new query
  readonly databases: readonly Database[];
  readonly copied?: QueryDraft | null; // the content that a new query starts with
}

export function QueryEditor({ loaded, databases, copied }: QueryEditorProps) {
  const { session, can } = useSession();
  const navigate = useNavigate();
  const [kept] = useState(() => takeKeptDraft(session.id, loaded?.target.id ?? null));
  const editor = useQueryEditor({ loaded, kept, copied }, databases);
  const [before] = useState(() => takeOver(loaded?.target.id));
  const preview = usePreview(before?.shown ?? null);
  const running = usePreviewRun(editor, preview, before?.typed);
  const { saved, isDirty, pending, draft } = editor;
  const readOnly = saved !== null && !saved.current.canEdit;
  const canPreview = can('queries.author');

  const save = async () => {
    if (readOnly || pending !== null || !isDirty) return;
    const next = await editor.save();
    if (next === null) return;
    toast(describeSaved(next), 'Saved');
    if (saved === null) {
      handOver({ queryId: next.target.id, shown: preview.shown, typed: running.typed });
      await navigate({ to: '/queries/$id/edit', params: { id: next.target.id }, replace: true, ignoreBlocker: true });
    }
  };
  useHotkeys(
    [
      ['mod+S', () => void save()],
      ['mod+Enter', () => canPreview && void running.run()],
    ],
    [],
    true,
  );
  useWarningBeforeLeaving(isDirty, () => {
    const { id: queryId = null, version = null } = saved?.target ?? {};
    keepDraft({ userId: session.id, queryId, version, draft });
  });
  useFocusOnError(editor.errors);

  const mayWrite = can('queries.epilogue') && editor.database?.writable !== false;
  return (
    <>
      <PageHeader
        title={saved === null ? 'New query' : saved.target.name}
        description={saved !== null && <TechnicalName name={saved.target.queryName} />}
        actions={
          <>
            {saved !== null && can('queries.author') && <Duplicate id={saved.target.id} />}
            {!readOnly && <Actions editor={editor} onSave={() => void save()} />}
          </>
        }
      />
      <Stack gap="md">
        {editor.conflict !== null && (
          <Suspense>
            <ConflictAlert editor={editor} conflict={editor.conflict} />
          </Suspense>
        )}
        <ProblemAlert
          error={editor.problem}
          {...(isRefused(editor.problem) ? { title: `You don’t have permission to do this with ${draft.name}` } : {})}
        />
        <div className={styles.layout}>
          <div className={`${styles.column} ${styles.query}`}>
            <SqlSection editor={editor} databases={databases} readOnly={readOnly} />
            {canPreview && <PreviewSection editor={editor} running={running} />}
          </div>
          <div className={styles.aside}>
            <StateSection editor={editor} />
            <div className={`${styles.column} ${styles.details}`}>
              <DetailsSection editor={editor} readOnly={readOnly} />
              <AccessSection editor={editor} readOnly={readOnly} />
              <LimitsSection editor={editor} readOnly={readOnly} />
            </div>
          </div>
          <div className={`${styles.column} ${styles.rest}`}>
            <ParametersSection editor={editor} readOnly={readOnly} />
            <ColumnsSection editor={editor} previewed={preview.shown?.rows.columns ?? []} readOnly={readOnly} />
            <Suspense fallback={<Skeleton height={160} />}>
              <ChartSection editor={editor} preview={preview.shown} readOnly={readOnly} />
            </Suspense>
            {(mayWrite || draft.epilogue !== '') && <EpilogueSection editor={editor} readOnly={readOnly || !mayWrite} />}
            {saved !== null && (
              <Suspense fallback={<Skeleton height={160} />}>
                <VersionsSection editor={editor} id={saved.target.id} />
              </Suspense>
            )}
          </div>
        </div>
      </Stack>
    </>
  );
}

function Actions({ editor, onSave }: { readonly editor: Editor; readonly onSave: () => void }) {
  const { saved, isDirty, pending } = editor;
  return (
    <>
      <Text size="sm" c="dimmed" role="status" className={isDirty ? '' : 'visually-hidden'}>
        {isDirty ? 'Unsaved changes' : ''}
      </Text>
      {saved?.current.status === 'Active' && (
        <Button
          variant="default"
          leftSection={<IconPlayerPlay size={16} aria-hidden />}
          renderRoot={(props) => <Link to="/queries/$id" params={{ id: saved.current.id }} {...props} />}
        >
          Run
        </Button>
      )}
      {isDirty && (
        <Button
          variant="default"
          leftSection={<IconArrowBackUp size={16} aria-hidden />}
          disabled={pending !== null}
          onClick={editor.undo}
        >
          Undo changes
        </Button>
      )}
      <Button
        leftSection={<IconDeviceFloppy size={16} aria-hidden />}
        rightSection={<Kbd size="xs">Ctrl S</Kbd>}
        aria-keyshortcuts="Control+S"
        loading={pending === 'save'}
        disabled={!isDirty || pending !== null}
        onClick={onSave}
      >
        Save
      </Button>
    </>
  );
}

const Duplicate = ({ id }: { readonly id: string }) => (
  <Button
    variant="default"
    leftSection={<IconCopy size={16} aria-hidden />}
    renderRoot={(props) => <Link to="/queries/new" search={{ copy: id }} {...props} />}
  >
    Duplicate
  </Button>
);

const TechnicalName = ({ name }: { readonly name: string }) => (
  <Group gap={6}>
    <Code style={{ overflowWrap: 'anywhere' }}>{name}</Code>
    <CopyButton value={name} label="Copy technical name" />
  </Group>
);

function useWarningBeforeLeaving(isDirty: boolean, keep: () => void): void {
  useBlocker({
    disabled: !isDirty,
    enableBeforeUnload: isDirty,
    shouldBlockFn: async ({ next }) => {
      if (next.pathname === '/sign-in') {
        const { reason }: SearchParams = next.search;
        if (reason !== undefined) keep(); // the session has ended, so nothing can be saved now
        return false;
      }
      return !(await confirm({
        title: 'Leave without saving?',
        message: 'You have unsaved changes. They are lost if you leave.',
        action: 'Leave',
      }));
    },
  });
}

/** Focuses the first invalid field. */
function useFocusOnError(errors: Editor['errors']): void {
  useEffect(() => {
    const isInField = Object.keys(errors).some((field) => field !== 'sql' && field !== 'epilogue');
    if (isInField) document.querySelector<HTMLElement>('main [aria-invalid="true"]')?.focus();
  }, [errors]);
}

const isRefused = (error: unknown): boolean => error instanceof Problem && error.status === 403;

function describeSaved({ current, target }: LoadedQuery): string {
  if (current.draft === null) return `${target.name} is ${target.status}, version ${target.version}.`;
  return `Version ${target.version} is a draft. Callers use version ${current.version} until you activate it.`;
}
