import { expect, test } from 'vitest';
import type { Result } from '../core/errors.ts';
import {
  activate,
  deactivate,
  discardDraft,
  applyEdit,
  editTargetVersion,
  restore,
  validate,
  markVoid,
  widensAccess,
} from './lifecycle.ts';
import { emptyLabels } from './query-fields.ts';
import type { Query, QueryDefinition, QueryLabels, QueryVersion } from './query.ts';

const definition: QueryDefinition = { name: 'Sales', databaseId: 'd1', sql: 'SELECT 1', parameters: [], columns: [] };
const labels: QueryLabels = emptyLabels;
const version: QueryVersion = {
  queryId: 'q1',
  version: 1,
  definition,
  labels,
  note: '',
  resultColumns: null,
  createdAt: 1,
  createdBy: 'ann',
};
const columns = [{ name: '1', type: 'INTEGER', kind: 'integer' }] as const;

const draft: Query = {
  id: 'q1',
  queryName: 'QD_Sales_Demo',
  nameFixed: false,
  status: 'Draft',
  current: version,
  draft: null,
  lastVersion: 1,
  revision: 1,
  createdAt: 1,
  createdBy: 'ann',
  updatedAt: 1,
  updatedBy: 'ann',
};

function must(result: Result<Query>): Query {
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.failure)}`);
  return result.value;
}

function refusal(result: Result<Query>): string {
  if (result.ok || result.failure.kind !== 'StateConflict') throw new Error('expected StateConflict');
  return result.failure.reason;
}

const validQuery = must(validate(draft, columns, 'bob', 2));
const activeQuery = must(activate(validQuery, 'bob', 3));
const inactiveQuery = must(deactivate(activeQuery, 'bob', 4));
const voidQuery = must(markVoid(inactiveQuery, 'bob', 5));
const otherSql = { ...definition, sql: 'SELECT 2' };
const otherLabels = { ...labels, tip: 'new' };
const withDraft = must(applyEdit(activeQuery, { definition: otherSql, labels }, 'cat', 6));
const withValidDraft = must(validate(withDraft, columns, 'cat', 7));

test('moves from Draft through Validated, Active, Inactive and Void back to Draft', () => {
  expect(validQuery).toMatchObject({ status: 'Validated', revision: 2, updatedAt: 2, updatedBy: 'bob', nameFixed: false });
  expect(validQuery.current.resultColumns).toEqual(columns);
  expect(activeQuery).toMatchObject({ status: 'Active', revision: 3, nameFixed: true });
  expect(inactiveQuery).toMatchObject({ status: 'Inactive', revision: 4 });
  expect(must(activate(inactiveQuery, 'bob', 5)).status).toBe('Active');
  expect(voidQuery.status).toBe('Void');
  expect(must(restore(voidQuery, 'bob', 6))).toMatchObject({ status: 'Draft', revision: 6, nameFixed: true, lastVersion: 1 });
});

test.each<[string, Result<Query>, string]>([
  [
    'activate a Draft',
    activate(draft, 'bob', 9),
    'The query is Draft: it cannot be activated. It can be edited, validated or voided.',
  ],
  [
    'deactivate a Draft',
    deactivate(draft, 'bob', 9),
    'The query is Draft: it cannot be deactivated. It can be edited, validated or voided.',
  ],
  [
    'restore a Draft',
    restore(draft, 'bob', 9),
    'The query is Draft: it cannot be restored. It can be edited, validated or voided.',
  ],
  [
    'validate an Active one',
    validate(activeQuery, [], 'bob', 9),
    'The query is Active: it cannot be validated. It can be edited or deactivated.',
  ],
  [
    'activate an Active one',
    activate(activeQuery, 'bob', 9),
    'The query is Active: it cannot be activated. It can be edited or deactivated.',
  ],
  [
    'void an Active one',
    markVoid(activeQuery, 'bob', 9),
    'The query is Active: it cannot be voided. It can be edited or deactivated.',
  ],
  [
    'validate an Inactive one',
    validate(inactiveQuery, [], 'bob', 9),
    'The query is Inactive: it cannot be validated. It can be edited, activated or voided.',
  ],
  ['void a Void one', markVoid(voidQuery, 'bob', 9), 'The query is Void: it cannot be voided. It can be restored.'],
  [
    'edit a Void one',
    applyEdit(voidQuery, { definition: otherSql, labels }, 'bob', 9),
    'The query is Void: it cannot be edited. It can be restored.',
  ],
  [
    'validate a Validated one again',
    validate(validQuery, [], 'bob', 9),
    'The query is Validated: it cannot be validated. It can be edited, activated or voided.',
  ],
  [
    'validate a Validated draft again',
    validate(withValidDraft, [], 'bob', 9),
    'The query is Active with a draft that is Validated: it cannot be validated. It can be edited, deactivated or activated.',
  ],
  ['validate a Void one', validate(voidQuery, [], 'bob', 9), 'The query is Void: it cannot be validated. It can be restored.'],
  ['activate a Void one', activate(voidQuery, 'bob', 9), 'The query is Void: it cannot be activated. It can be restored.'],
  [
    'activate a draft that is not validated',
    activate(withDraft, 'bob', 9),
    'The query is Active with a draft that is Draft: it cannot be activated. It can be edited, deactivated or validated.',
  ],
  ['discard a draft that is not there', discardDraft(activeQuery, 'bob', 9), 'This query has no draft to discard.'],
])('refuses to %s', (_what, result, reason) => {
  expect(refusal(result)).toBe(reason);
});

test.each([
  ['Draft', draft],
  ['Validated', validQuery],
  ['Inactive', inactiveQuery],
])('turns an edited %s query into a Draft with the next version number', (_status, query) => {
  const saved = must(applyEdit(query, { definition: otherSql, labels }, 'cat', 9));
  expect(saved).toMatchObject({ status: 'Draft', draft: null, lastVersion: 2, revision: query.revision + 1, updatedBy: 'cat' });
  expect(saved.current).toEqual({ ...version, version: 2, definition: otherSql, createdAt: 9, createdBy: 'cat' });
});

test('discards a draft without changing the current version', () => {
  const without = must(discardDraft(withDraft, 'cat', 9));
  expect(without).toEqual({ ...withDraft, draft: null, revision: withDraft.revision + 1, updatedAt: 9, updatedBy: 'cat' });
});

test('returns the query unchanged if an edit changes nothing', () => {
  expect(must(applyEdit(validQuery, { definition: { ...definition }, labels: { ...labels, tags: [] } }, 'cat', 9))).toBe(
    validQuery,
  );
  expect(must(applyEdit(withDraft, { definition: otherSql, labels }, 'cat', 9))).toBe(withDraft);
});

test('changes the technical name until the first activation, and never after it', () => {
  const edit = { definition: { ...definition, name: 'Turnover' }, labels };
  const options = { queryName: 'QD_Turnover_Demo' };
  expect(must(applyEdit(validQuery, edit, 'cat', 9, options)).queryName).toBe('QD_Turnover_Demo');
  expect(must(applyEdit(inactiveQuery, edit, 'cat', 9, options)).queryName).toBe('QD_Sales_Demo');
  expect(must(applyEdit(activeQuery, edit, 'cat', 9, options)).queryName).toBe('QD_Sales_Demo');
});

test('keeps the Active version and saves an edited definition as a draft', () => {
  expect(withDraft).toMatchObject({ status: 'Active', lastVersion: 2, revision: 4 });
  expect(withDraft.current).toEqual(activeQuery.current);
  expect(withDraft.draft).toMatchObject({ version: 2, status: 'Draft', definition: otherSql, resultColumns: null });
  expect(editTargetVersion(activeQuery)).toBe(1);
  expect(editTargetVersion(withDraft)).toBe(2);
});

test('edits an existing draft and requires it to be validated again', () => {
  const again = must(applyEdit(withValidDraft, { definition: { ...otherSql, sql: 'SELECT 3' }, labels }, 'cat', 9));
  expect(again.draft).toMatchObject({ version: 3, status: 'Draft', resultColumns: null });
  expect(again.current).toEqual(activeQuery.current);
});

test('validates and activates the draft, which becomes the current version', () => {
  expect(withValidDraft).toMatchObject({
    status: 'Active',
    current: activeQuery.current,
    draft: { status: 'Validated', version: 2 },
  });
  const active = must(activate(withValidDraft, 'bob', 8));
  expect(active).toMatchObject({ status: 'Active', draft: null, lastVersion: 2, revision: 6 });
  expect(active.current).toEqual({
    ...version,
    version: 2,
    definition: otherSql,
    resultColumns: columns,
    createdAt: 6,
    createdBy: 'cat',
    activation: { number: 2, at: 8, retiresAt: null },
  });
});

test('keeps the number of an activation when labels change, and when the version is activated again', () => {
  const first = must(activate(withValidDraft, 'bob', 8));
  const relabeled = must(applyEdit(first, { definition: otherSql, labels: otherLabels }, 'cat', 9));
  expect(relabeled.current).toMatchObject({ version: 3, activation: { number: 2, at: 8 } });
  const again = must(activate(must(deactivate(relabeled, 'bob', 10)), 'bob', 11));
  expect(again.current.activation).toEqual({ number: 2, at: 8, retiresAt: null });
  expect(must(applyEdit(again, { definition, labels: otherLabels }, 'cat', 12)).draft).not.toHaveProperty('activation');
});

test('applies label changes of an Active query immediately, as a new version', () => {
  const saved = must(applyEdit(activeQuery, { definition, labels: otherLabels }, 'cat', 9));
  expect(saved).toMatchObject({ status: 'Active', draft: null, lastVersion: 2 });
  expect(saved.current).toMatchObject({ version: 2, labels: otherLabels, definition, resultColumns: columns, createdBy: 'cat' });
});

test('applies label changes to the draft as well, which gets a new number and stays Validated', () => {
  const saved = must(applyEdit(withValidDraft, { definition: otherSql, labels: otherLabels }, 'cat', 9));
  expect(saved.current).toMatchObject({ version: 3, labels: otherLabels, definition, resultColumns: columns });
  expect(saved.draft).toEqual({ ...withValidDraft.draft, version: 4, labels: otherLabels });
  expect(saved.lastVersion).toBe(4);
});

test('applies label changes immediately if the definition changes too, with a single new number', () => {
  const saved = must(applyEdit(activeQuery, { definition: otherSql, labels: otherLabels }, 'cat', 9));
  expect(saved.current).toEqual({ ...activeQuery.current, labels: otherLabels });
  expect(saved.draft).toMatchObject({ version: 2, definition: otherSql, labels: otherLabels, status: 'Draft' });
  expect(saved.lastVersion).toBe(2);
});

test.each([
  ['Draft', draft],
  ['Validated', validQuery],
  ['Active', activeQuery],
  ['Inactive', inactiveQuery],
])('changes the note of a query that is %s without a new version or status', (_status, query) => {
  const noted = must(applyEdit(query, { definition, labels, note: 'Why' }, 'cat', 9));
  const written = { revision: query.revision + 1, updatedAt: 9, updatedBy: 'cat' };
  expect(noted).toEqual({ ...query, ...written, current: { ...query.current, note: 'Why' } });
  expect(must(applyEdit(noted, { definition, labels, note: 'Why' }, 'cat', 10))).toBe(noted);
  expect(must(applyEdit(noted, { definition, labels }, 'cat', 10))).toBe(noted);
});

test('changes the note of the draft, which stays Validated, and not that of the Active version', () => {
  const noted = must(applyEdit(withValidDraft, { definition: otherSql, labels, note: 'Why' }, 'cat', 9));
  expect(noted).toMatchObject({
    current: withValidDraft.current,
    draft: { ...withValidDraft.draft, note: 'Why' },
    lastVersion: 2,
  });
  expect(must(activate(noted, 'bob', 10)).current.note).toBe('Why');
});

test.each<[string, Query, string]>([
  ['a Draft', draft, 'First'],
  ['a Validated query', validQuery, 'First'],
  ['an Active query', activeQuery, ''],
  ['an Inactive query', inactiveQuery, ''],
])('gives the next version of %s the note of the draft only', (_what, query, note) => {
  const noted = { ...query, current: { ...query.current, note: 'First' } };
  const edit = { definition: otherSql, labels };
  const target = (saved: Query) => saved.draft ?? saved.current;
  expect(target(must(applyEdit(noted, edit, 'cat', 9)))).toMatchObject({ version: 2, note });
  expect(target(must(applyEdit(noted, { ...edit, note: 'Second' }, 'cat', 9)))).toMatchObject({ version: 2, note: 'Second' });
  expect(target(must(applyEdit(noted, edit, 'cat', 9, { newVersionNote: 'Default' })))).toMatchObject({ note: 'Default' });
  expect(must(applyEdit(noted, { definition, labels }, 'cat', 9, { newVersionNote: 'Default' }))).toBe(noted);
});

test('stores the note of a change of labels with the draft, or with the version that it creates', () => {
  const edit = { labels: otherLabels, note: 'New tip' };
  expect(must(applyEdit(activeQuery, { ...edit, definition }, 'cat', 9))).toMatchObject({
    current: { version: 2, note: 'New tip' },
  });
  const saved = must(applyEdit(withDraft, { ...edit, definition: otherSql }, 'cat', 9));
  expect(saved).toMatchObject({ current: { version: 3, note: '' }, draft: { version: 4, note: 'New tip' } });
});

test('keeps the draft of a deactivated query, and activates the draft', () => {
  const inactive = must(deactivate(withDraft, 'bob', 8));
  expect(inactive).toMatchObject({ status: 'Inactive', draft: withDraft.draft });
  expect(refusal(activate(inactive, 'bob', 9))).toContain('Inactive with a draft that is Draft');
  const active = must(activate(must(validate(inactive, columns, 'bob', 9)), 'bob', 10));
  expect(active).toMatchObject({ status: 'Active', draft: null, current: { version: 2 } });
});

test('merges an Inactive query and its draft into one Draft when edited', () => {
  const inactive = must(deactivate(withValidDraft, 'bob', 8));
  const saved = must(applyEdit(inactive, { definition: otherSql, labels: otherLabels }, 'cat', 9));
  expect(saved).toMatchObject({
    status: 'Draft',
    current: { version: 3, definition: otherSql, labels: otherLabels },
    draft: null,
  });
});

test('discards the draft of a voided query, and never reuses its number', () => {
  const gone = must(markVoid(must(deactivate(withDraft, 'bob', 8)), 'bob', 9));
  expect(gone).toMatchObject({ status: 'Void', draft: null, lastVersion: 2 });
  const back = must(applyEdit(must(restore(gone, 'bob', 10)), { definition: otherSql, labels }, 'cat', 11));
  expect(back.current.version).toBe(3);
});

test.each<[string, Partial<QueryLabels>, Partial<QueryLabels>, boolean]>([
  ['emptied roles', { roleIds: ['a'] }, { roleIds: [] }, true],
  ['a further role', { roleIds: ['a'] }, { roleIds: ['a', 'b'] }, true],
  ['another role', { roleIds: ['a'] }, { roleIds: ['b'] }, true],
  ['fewer roles', { roleIds: ['a', 'b'] }, { roleIds: ['b'] }, false],
  ['roles where there were none', { roleIds: [] }, { roleIds: ['a'] }, false],
  ['AI access on', { aiAccess: false }, { aiAccess: true }, true],
  ['AI access off', { aiAccess: true }, { aiAccess: false }, false],
  ['another description', { description: 'a' }, { description: 'b' }, false],
])('detects whether access widens: %s', (_, before, after, widens) => {
  expect(widensAccess({ ...labels, ...before }, { ...labels, ...after })).toBe(widens);
});
