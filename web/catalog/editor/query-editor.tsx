import { Alert, Button, Code, Group, Kbd, Skeleton, Stack, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Problem } from '../../app/problem.ts';
import { useSession } from '../../app/session.tsx';
import type { Database } from '../../app/wire.ts';
import { CopyButton } from '../../components/copy/copy-button.tsx';
import { IconArrowBackUp, IconCopy, IconDeviceFloppy, IconPlayerPlay } from '../../components/icons.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { Time } from '../../components/time.tsx';
import { toast } from '../../components/toast.ts';
import { type DraftOwner, readKeptDraft } from './kept-draft.ts';
import type { LoadedQuery } from './load-query.ts';
import { handOver, takeOver } from './preview-handover.ts';
import type { QueryDraft } from './query-draft.ts';
import styles from './query-editor.module.css';
import { ColumnsSection } from './sections/columns-section.tsx';
import { DetailsSection } from './sections/details-section.tsx';
import { EpilogueSection } from './sections/epilogue-section.tsx';
import { ParametersSection } from './sections/parameters-section.tsx';
import { PreviewSection, usePreviewRun } from './sections/preview-section.tsx';
import { SqlSection } from './sections/sql-section.tsx';
import { StateSection } from './sections/state-section.tsx';
import { useKeptDraft } from './use-kept-draft.ts';
import { usePreview } from './use-preview.ts';
import { type QueryEditor as Editor, useQueryEditor } from './use-query-editor.ts';

const AccessSection = lazy(() => import('./sections/access-section.tsx').then((module) => ({ default: module.AccessSection })));
const LimitsSection = lazy(() => import('./sections/access-section.tsx').then((module) => ({ default: module.LimitsSection })));
const ConflictAlert = lazy(() => import('./conflict-alert.tsx').then((module) => ({ default: module.ConflictAlert })));
const ChartSection = lazy(() => import('./sections/chart-section.tsx').then((module) => ({ default: module.ChartSection })));
const PinnedVersionsSection = lazy(() =>
  import('./sections/pinned-versions-section.tsx').then((module) => ({ default: module.PinnedVersionsSection })),
);
const VersionsSection = lazy(() =>
  import('./sections/versions-section.tsx').then((module) => ({ default: module.VersionsSection })),
);

export interface QueryEditorProps {
  readonly loaded: LoadedQuery | null; // null: a new query
  readonly databases: readonly Database[];
  readonly copied?: { readonly from: string; readonly draft: QueryDraft } | null; // the query that a new one starts as a copy of
}

export function QueryEditor({ loaded, databases, copied = null }: QueryEditorProps) {
  const { session, can } = useSession();
  const navigate = useNavigate();
  const [owner] = useState<DraftOwner>({
    userId: session.id,
    query: loaded?.target.id ?? (copied === null ? 'new' : `copy-${copied.from}`),
  });
  const [kept] = useState(() => (loaded?.current.canEdit === false ? null : readKeptDraft(owner)));
  const editor = useQueryEditor({ loaded, kept, copied: copied?.draft }, databases);
  const [restoredAt, setRestoredAt] = useState(kept?.keptAt ?? null);
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
  useKeptDraft(owner, { version: saved?.target.version ?? null, draft }, isDirty);
  useFocusOnError(editor.errors);

  const mayWrite = can('queries.epilogue') && editor.database?.writable !== false;
  return (
    <>
      <PageHeader
        title={saved === null ? 'New query' : saved.target.name}
        tab={saved === null ? 'New query' : `${saved.target.name} · Edit`}
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
        {restoredAt !== null && isDirty && editor.conflict === null && (
          <Restored
            at={restoredAt}
            onDiscard={() => {
              setRestoredAt(null);
              if (copied === null) editor.undo();
              else editor.change(() => copied.draft);
            }}
            onClose={() => setRestoredAt(null)}
          />
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
              <Suspense fallback={<Skeleton height={320} />}>
                <AccessSection editor={editor} readOnly={readOnly} />
                <LimitsSection editor={editor} readOnly={readOnly} />
              </Suspense>
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
                <PinnedVersionsSection query={saved.current} />
                <VersionsSection editor={editor} id={saved.target.id} />
              </Suspense>
            )}
          </div>
        </div>
      </Stack>
    </>
  );
}

interface RestoredProps {
  readonly at: string;
  readonly onDiscard: () => void;
  readonly onClose: () => void;
}

const Restored = ({ at, onDiscard, onClose }: RestoredProps) => (
  <Alert
    variant="light"
    role="status"
    icon={<IconArrowBackUp aria-hidden />}
    withCloseButton
    closeButtonLabel="Close"
    onClose={onClose}
    py="xs"
  >
    <Group gap="sm">
      <Text size="sm" component="div">
        Restored your unsaved changes from <Time at={at} as="relative" />.
      </Text>
      <Button size="compact-sm" variant="default" onClick={onDiscard}>
        Discard
      </Button>
    </Group>
  </Alert>
);

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
        rightSection={
          <Kbd size="xs" visibleFrom="xs">
            Ctrl S
          </Kbd>
        }
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
