import { expect, test } from 'vitest';
import { exampleQuery } from '../../app/example-query.ts';
import { Problem } from '../../app/problem.ts';
import type { Query } from '../../app/wire.ts';
import { type EditorEvent, type EditorState, feedbackOf, createInitialState, reduceEditor } from './editor-state.ts';
import type { LoadedQuery } from './load-query.ts';
import { draftOf, createDraft, type QueryDraft } from './query-draft.ts';

const query = (version: number, sql: string): Query => exampleQuery({ status: 'Draft', version, sql });
const loaded = (version: number, sql = 'select 1'): LoadedQuery => ({
  current: query(version, sql),
  target: query(version, sql),
});
const typed = (sql: string): EditorEvent => ({ type: 'edited', change: (draft) => ({ ...draft, sql }) });
const saved = (version: number, sql: string, replaces: QueryDraft | null): EditorEvent => ({
  ...{ type: 'succeeded', loaded: loaded(version, sql), warnings: [], replaces },
});
const after = (state: EditorState, ...events: readonly EditorEvent[]): EditorState => events.reduce(reduceEditor, state);

const opened = createInitialState({ loaded: loaded(3), kept: null }, []);

test('starts with the saved query and nothing pending', () => {
  expect(opened).toMatchObject({ pending: null, conflict: null, draft: { name: 'Orders', sql: 'select 1' } });
  expect(opened.draft).toEqual(opened.pristine);
});

test('restores an unsaved draft, and reports a conflict if the query has changed since', () => {
  const draft = { ...createDraft('Sales'), sql: 'select 2' };
  const kept = { version: 3, draft, keptAt: '2026-01-01T00:00:00Z' };
  expect(createInitialState({ loaded: loaded(3), kept }, [])).toMatchObject({ draft, conflict: null });
  expect(createInitialState({ loaded: loaded(4), kept }, [])).toMatchObject({ draft, conflict: loaded(4) });
});

test('undoing the changes restores the saved draft', () => {
  const state = after(opened, typed('select 2'), { type: 'changes-undone' });
  expect(state.draft).toBe(opened.pristine);
});

test('an edit removes the errors and keeps the conflict', () => {
  const feedback = feedbackOf(new Problem({ status: 500, code: 'internal', message: 'No.' }), {});
  const failed = after(opened, { type: 'started', operation: 'save' }, { type: 'failed', feedback });
  expect(failed.problem).not.toBeNull();
  expect(after(failed, typed('select 2')).problem).toBeNull();
  const conflicted = after(opened, { type: 'conflicted', theirs: loaded(4) });
  expect(after(conflicted, typed('select 2')).conflict).toEqual(loaded(4));
});

test('a save replaces the draft with what the service stored', () => {
  const edited = after(opened, typed('select  2'), { type: 'started', operation: 'save' });
  expect(edited.pending).toBe('save');
  const state = after(edited, saved(4, 'select 2', edited.draft));
  expect(state).toMatchObject({ pending: null, saved: { target: { version: 4 } }, draft: { sql: 'select 2' } });
  expect(state.draft).toBe(state.pristine);
});

test('a save keeps what was typed while it was running', () => {
  const sent = after(opened, typed('select 2'));
  const state = after(sent, { type: 'started', operation: 'save' }, typed('select 23'), saved(4, 'select 2', sent.draft));
  expect(state.draft.sql).toBe('select 23');
  expect(state.pristine.sql).toBe('select 2');
});

test('a move that does not save keeps the unsaved changes', () => {
  const state = after(opened, typed('select 2'), { type: 'started', operation: 'deactivate' }, saved(3, 'select 1', null));
  expect(state.draft.sql).toBe('select 2');
});

test('starts with the note of a draft, and with none for an edit that starts another version', () => {
  const noted = (status: Query['status']): LoadedQuery => {
    const target = exampleQuery({ status, note: 'Why' });
    return { current: target, target };
  };
  const starts = (status: Query['status']) => createInitialState({ loaded: noted(status), kept: null }, []).draft.note;
  expect((['Draft', 'Validated', 'Active', 'Inactive'] as const).map(starts)).toEqual(['Why', 'Why', '', '']);
  const activated = { type: 'succeeded', loaded: noted('Active'), warnings: [] } as const;
  const state = createInitialState({ loaded: noted('Validated'), kept: null }, []);
  expect(after(state, { ...activated, replaces: state.draft }).draft.note).toBe('');
});

test('keeps the warnings of a validation until the next edit', () => {
  const state = after(opened, { type: 'succeeded', loaded: loaded(4), warnings: ['Careful.'], replaces: null });
  expect(state.warnings).toEqual(['Careful.']);
  expect(after(state, typed('select 2')).warnings).toEqual([]);
});

test('accepting the other version replaces the draft and ends the conflict', () => {
  const state = after(opened, typed('mine'), { type: 'conflicted', theirs: loaded(4, 'theirs') }, { type: 'theirs-accepted' });
  expect(state).toMatchObject({ conflict: null, saved: { target: { version: 4 } }, draft: draftOf(query(4, 'theirs')) });
});

test('a failed preview leaves a running save pending', () => {
  const feedback = feedbackOf(new Error('No.'), {});
  const state = after(opened, { type: 'started', operation: 'save' }, { type: 'preview-failed', feedback });
  expect(state.pending).toBe('save');
});

test('sorts errors by field, and SQL errors by statement', () => {
  const fields = [
    { field: 'sql', message: 'Syntax error.', line: 1, column: 8 },
    { field: 'name', message: 'Too long.' },
  ];
  const body = { name: '', sql: '' };
  expect(feedbackOf(new Problem({ status: 400, code: 'sql_invalid', message: 'No.', fields }), body)).toMatchObject({
    errors: { name: 'Too long.', sql: 'Syntax error.' },
    sqlErrors: { sql: { line: 1, column: 8 }, epilogue: null },
    problem: null,
  });
});

test('shows a taken name at the name, and an error without a field above the form', () => {
  const taken = new Problem({ status: 409, code: 'name_taken', message: 'Taken.' });
  expect(feedbackOf(taken, {})).toMatchObject({ errors: { name: 'Taken.' }, problem: null });
  const refused = new Problem({ status: 403, code: 'permission_denied', message: 'No.' });
  expect(feedbackOf(refused, {})).toMatchObject({ errors: {}, problem: refused });
});
