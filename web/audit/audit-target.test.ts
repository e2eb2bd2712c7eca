import { expect, test } from 'vitest';
import { targetText } from './audit-target.ts';

test.each([
  ['user.update', { user: 'ana', changed: { disabled: { from: false, to: true } } }, 'user ana'],
  ['role.create', { role: 'Readers', permissions: [] }, 'role Readers'],
  ['database.test', { database: 'Sales', kind: 'postgres' }, 'database Sales'],
  ['key.update', { key: 'Nightly', prefix: 'slc_a' }, 'key Nightly'],
  ['key.revoke', { user: 'ana', key: 'Nightly' }, 'key Nightly of user ana'],
  ['key.revoke', { user: 'ana', keys: ['One', 'Two'] }, 'keys One, Two of user ana'],
  ['execution.cancel', { execution: 'x1', user: 'ana' }, 'execution x1 of user ana'],
  ['embed.revoke', { embed: 'e1' }, 'embed e1'],
  ['application.end', { application: 'Claude', clientId: 'dyn_1' }, 'application Claude'],
  ['application.end', { user: 'ana', application: 'Claude', clientId: 'dyn_1' }, 'application Claude of user ana'],
  ['account.password', { user: 'ana' }, 'user ana'],
  ['settings.update', { rowsMax: { from: 1000, to: 5 } }, 'rowsMax'],
  ['query.execute', { '@Region': 'North' }, null],
  ['user.create', null, null],
])('names the target of %s with %j', (action, parameters, expected) => {
  expect(targetText({ action, parameters })).toBe(expected);
});
