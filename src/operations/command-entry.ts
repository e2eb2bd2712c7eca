import { randomUUID } from 'node:crypto';
import type { AuditEntry } from '../audit/audit-entry.ts';

/**
 * Commands are run by people with access to the data folder, who are not users of the service: the entry records the action
 * without a user.
 */
export const commandEntry = (action: string, parameters: Readonly<Record<string, unknown>>): AuditEntry => ({
  at: Date.now(),
  requestId: randomUUID(),
  userId: null,
  user: null,
  kind: null,
  viewer: null,
  application: null,
  apiKey: null,
  action,
  query: null,
  queryVersion: null,
  parameters,
  channel: 'management',
  outcome: 'ok',
  status: 200,
  error: null,
  rows: null,
  bytes: null,
  durationMs: 0,
  address: '',
  client: 'the command sluice',
  cached: false,
});
