import { expect, test } from 'vitest';
import { permissions } from '../../src/access/permission.ts';
import { allPermissions } from './permission-texts.ts';

test('describes every permission', () => {
  expect(allPermissions).toEqual(permissions);
});
