import { emptyQuery } from '../../src/catalog/query-fields.ts';
import type { Query } from './wire.ts';

/** A complete query for tests. */
export const exampleQuery = (fields: Partial<Query> = {}): Query => ({
  ...emptyQuery,
  id: '1',
  queryName: 'QD_Orders_Sales',
  name: 'Orders',
  database: 'Sales',
  sql: 'select 1',
  resultColumns: null,
  status: 'Active',
  version: 1,
  activatedAs: 1,
  draft: null,
  createdBy: 'ada',
  createdAt: '2026-11-01T10:00:00.000Z',
  updatedBy: 'ada',
  updatedAt: '2026-11-01T10:00:00.000Z',
  canRun: true,
  cannotRunReason: null,
  canEdit: false,
  canValidate: false,
  canActivate: false,
  canDeactivate: false,
  canVoid: false,
  canRestore: false,
  canDiscardDraft: false,
  isFavorite: false,
  lastUsedAt: null,
  lastRunAt: null,
  ...fields,
});
