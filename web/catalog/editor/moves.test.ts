import { expect, test } from 'vitest';
import { exampleQuery } from '../../app/example-query.ts';
import type { Query } from '../../app/wire.ts';
import { listOpenMoves, stateText } from './moves.ts';
import type { Unsaved } from './query-draft.ts';

const draft = { version: 4, status: 'Validated' } as const;
const namesOf = (query: Query, unsaved: Unsaved = 'nothing') => listOpenMoves(query, unsaved).map(({ name }) => name);
const blocked = (query: Query) => listOpenMoves(query, 'definition').map(({ name, isBlocked }) => [name, isBlocked]);

test('offers the moves that the service allows', () => {
  expect(namesOf(exampleQuery({ canEdit: true }))).toEqual([]);
  expect(namesOf(exampleQuery({ canValidate: true, canVoid: true }))).toEqual(['validate', 'void']);
  expect(namesOf(exampleQuery({ draft, canActivate: true, canDeactivate: true, canDiscardDraft: true }))).toEqual([
    'activate',
    'deactivate',
    'discard',
  ]);
  expect(namesOf(exampleQuery({ canRestore: true }))).toEqual(['restore']);
});

test('offers to validate unsaved changes, and blocks every other move but Deactivate until they are saved', () => {
  expect(blocked(exampleQuery({ status: 'Validated', canEdit: true, canActivate: true, canVoid: true }))).toEqual([
    ['validate', false],
    ['activate', true],
    ['void', true],
  ]);
  expect(blocked(exampleQuery({ canEdit: true, canDeactivate: true }))).toEqual([
    ['validate', false],
    ['deactivate', false],
  ]);
  expect(namesOf(exampleQuery({ canActivate: true }), 'definition')).toEqual(['activate']);
});

test('offers to validate unsaved labels only if saving them makes a draft, and never a note alone', () => {
  const offered = (status: Query['status'], unsaved: Unsaved) => namesOf(exampleQuery({ status, canEdit: true }), unsaved);
  expect(offered('Active', 'definition')).toEqual(['validate']);
  expect(offered('Active', 'labels')).toEqual([]);
  for (const status of ['Validated', 'Inactive'] as const) {
    expect(offered(status, 'labels')).toEqual(['validate']);
    expect(offered(status, 'note')).toEqual([]);
  }
  expect(namesOf(exampleQuery({ draft, canEdit: true, canValidate: true }), 'labels')).toEqual(['validate']);
});

test('says before an activation which version callers will get', () => {
  const query = exampleQuery({ version: 3, draft, canActivate: true });
  const [activate] = listOpenMoves(query, 'nothing');
  expect(activate?.confirmation?.message).toBe('Callers will use version 4 instead of version 3.');
  expect(stateText(query)).toBe('Callers use version 3 until you activate version 4.');
});
