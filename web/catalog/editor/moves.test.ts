import { expect, test } from 'vitest';
import { exampleQuery } from '../../app/example-query.ts';
import type { Permission, Query } from '../../app/wire.ts';
import { openMoves, standingText } from './moves.ts';

const query = (status: Query['status'], draft: Query['draft'] = null): Query => exampleQuery({ status, version: 3, draft });
const everything = () => true;
const names = (...[given, isDirty, can]: Parameters<typeof openMoves>) => openMoves(given, isDirty, can).map(({ name }) => name);

test.each([
  ['Draft', null, ['validate', 'void']],
  ['Validated', null, ['activate', 'void']],
  ['Active', null, ['deactivate']],
  ['Inactive', null, ['activate', 'void']],
  ['Void', null, ['restore']],
  ['Active', { version: 4, status: 'Draft' }, ['validate', 'deactivate', 'discard']],
  ['Active', { version: 4, status: 'Validated' }, ['activate', 'deactivate', 'discard']],
] as const)('%s with a draft %j can be moved by %j', (status, draft, expected) => {
  expect(names(query(status, draft), false, everything)).toEqual(expected);
});

test('changes that are not saved can be validated, and keep everything else but Deactivate waiting', () => {
  const moves = openMoves(query('Validated'), true, everything);
  expect(moves.map(({ name, isBlocked }) => [name, isBlocked])).toEqual([
    ['validate', false],
    ['activate', true],
    ['void', true],
  ]);
  expect(openMoves(query('Active'), true, everything).map(({ name, isBlocked }) => [name, isBlocked])).toEqual([
    ['validate', false],
    ['deactivate', false],
  ]);
  expect(names(query('Void'), true, everything)).toEqual(['restore']);
});

test('who may only write can validate, who may only publish cannot', () => {
  const only = (permission: Permission) => (asked: Permission) => asked === permission;
  expect(names(query('Draft'), false, only('queries.author'))).toEqual(['validate']);
  expect(names(query('Draft'), false, only('queries.publish'))).toEqual(['void']);
  const withDraft = query('Active', { version: 4, status: 'Draft' });
  expect(names(withDraft, false, only('queries.author'))).toEqual(['validate', 'discard']);
  expect(names(withDraft, false, only('queries.publish'))).toEqual(['deactivate']);
});

test('what callers notice is asked first, and says which version they get', () => {
  const [activate] = openMoves(query('Active', { version: 4, status: 'Validated' }), false, everything);
  expect(activate?.confirmation?.message).toBe('From now on callers get version 4 instead of version 3.');
  expect(standingText(query('Active', { version: 4, status: 'Draft' }))).toBe(
    'Callers keep version 3 until you activate version 4.',
  );
});
