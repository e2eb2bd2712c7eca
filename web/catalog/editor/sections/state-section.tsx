import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { confirm } from '../../../components/confirm.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { toast, toastProblem } from '../../../components/toast.ts';
import { askToActivate } from '../callers/ask-to-activate.ts';
import { type OpenMove, listOpenMoves, stateText } from '../moves.ts';
import { isDraft, MAX_NOTE_LENGTH } from '../query-draft.ts';
import type { QueryEditor } from '../use-query-editor.ts';
import { Section } from './section.tsx';

/** The state of the query, the note of the next save, and the possible moves with their effects. */
export function StateSection({ editor }: { readonly editor: QueryEditor }) {
  const { saved, unsaved, pending } = editor;
  const [isAsking, setAsking] = useState(false);
  if (saved === null) {
    return (
      <Section title="State">
        <Text size="sm">Save the query as a draft, then validate and activate it.</Text>
        <NoteField editor={editor} />
      </Section>
    );
  }
  const { current } = saved;
  const moves = listOpenMoves(current, unsaved);
  const activate = async (move: OpenMove) => {
    if (isAsking) return null;
    setAsking(true);
    try {
      const activation = await askToActivate(current, move);
      return activation === null ? null : await editor.move('activate', activation);
    } catch (error) {
      toastProblem(error);
      return null;
    } finally {
      setAsking(false);
    }
  };
  const take = async (move: OpenMove) => {
    const { name, confirmation } = move;
    if (name !== 'activate' && confirmation !== null && !(await confirm(confirmation))) return;
    const next = name === 'activate' ? await activate(move) : await editor.move(name);
    if (next !== null) toast(stateText(next.current), done[name]);
  };
  return (
    <Section title="State">
      <Stack gap={6}>
        <Standing status={current.status} version={current.version} />
        {current.draft !== null && <Standing status={current.draft.status} version={current.draft.version} />}
        <Text size="sm">{stateText(current)}</Text>
      </Stack>
      {current.canEdit && <NoteField editor={editor} />}
      {editor.warnings.map((warning) => (
        <Alert key={warning} color="yellow" variant="light" role="status">
          {warning}
        </Alert>
      ))}
      {moves.map((move) => (
        <Stack key={move.name} gap={4}>
          <Button
            variant={move.name === 'activate' ? 'filled' : 'default'}
            fullWidth
            loading={pending === move.name}
            disabled={move.isBlocked || (pending !== null && pending !== move.name)}
            aria-describedby={`about-${move.name}`}
            aria-busy={isAsking && move.name === 'activate'}
            onClick={() => void take(move)}
          >
            {move.label}
          </Button>
          <Text size="xs" c="dimmed" id={`about-${move.name}`}>
            {move.isBlocked ? 'Save or undo your changes first.' : move.effect}
          </Text>
        </Stack>
      ))}
    </Section>
  );
}

function NoteField({ editor }: { readonly editor: QueryEditor }) {
  const { saved, draft, change, errors, unsaved } = editor;
  const replaced = saved !== null && unsaved === 'note' && !isDraft(saved.target) ? saved.target.version : null;
  return (
    <TextInput
      label="Note"
      description={replaced === null ? 'What changed in this version?' : `This becomes the note of version ${replaced}.`}
      value={draft.note}
      maxLength={MAX_NOTE_LENGTH}
      onChange={({ currentTarget: { value } }) => change((before) => ({ ...before, note: value }))}
      error={errors.note}
    />
  );
}

const done = {
  validate: 'Validated',
  activate: 'Activated',
  deactivate: 'Deactivated',
  void: 'Voided',
  restore: 'Restored',
  discard: 'Draft discarded',
};

const Standing = ({ status, version }: { readonly status: string; readonly version: number }) => (
  <Group gap="xs">
    <StatusBadge status={status} />
    <Text size="sm">Version {version}</Text>
  </Group>
);
