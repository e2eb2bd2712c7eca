import { randomUUID } from 'node:crypto';
import type { AuditEntry } from '../audit/audit-entry.ts';

/** Whoever may read the data folder is nobody that the service knows: the entry names what was done, not the hand. */
export const commandEntry = (action: string, parameters: Readonly<Record<string, unknown>>): AuditEntry => ({
  at: Date.now(),
  requestId: randomUUID(),
  userId: null,
  user: null,
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
