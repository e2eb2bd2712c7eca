import { afterAll, beforeAll, expect, it } from 'vitest';
import { failureOf, expectSuccess, NOW, openPeople, type People } from '../../test/support/people/people.ts';
import type { AuditEntry } from '../audit/audit-entry.ts';
import { StoreError } from '../store/metadata-store.ts';
import { createAuditTrail } from './audit-trail.ts';

let people: People;
beforeAll(async () => {
  people = await openPeople();
});
afterAll(() => people.close());

const entry = (more: Partial<AuditEntry>): AuditEntry => ({
  at: NOW,
  requestId: 'r-0',
  userId: 'u-1',
  user: 'bob',
  apiKey: null,
  action: 'query.execute',
  query: 'QD_A_Sales',
  queryVersion: 2,
  parameters: null,
  channel: 'rest',
  outcome: 'ok',
  status: 200,
  error: null,
  rows: 3,
  bytes: 120,
  durationMs: 7,
  address: '127.0.0.1',
  client: 'curl/8',
  kind: 'person',
  viewer: null,
  application: null,
  cached: false,
  ...more,
});

async function text(pieces: AsyncIterable<string>): Promise<string> {
  let whole = '';
  for await (const piece of pieces) whole += piece;
  return whole;
}

it('lists entries newest first with exactly the public fields', async () => {
  const trail = createAuditTrail({ store: people.store, now: () => NOW });
  await people.store.audit.append([entry({ requestId: 'old' }), entry({ requestId: 'new', at: NOW + 1, user: 'eve' })]);
  const page = expectSuccess(await trail.list({}, { limit: 10 }));
  expect(page.items.map((item) => item.requestId)).toEqual(['new', 'old']);
  const { userId, ...shown } = entry({ requestId: 'old' });
  expect(page.items[1]).toEqual({ ...shown, at: '2026-11-15T10:00:00.000Z' });
  expect(expectSuccess(await trail.list({ user: 'eve' }, { limit: 10 })).items).toHaveLength(1);
});

it('exports every page as CSV without cells that a spreadsheet runs as formulas', async () => {
  const trail = createAuditTrail({ store: people.store, now: () => NOW });
  const many = Array.from({ length: 1500 }, (_, index) => entry({ at: NOW + index, requestId: `r-${index}`, channel: 'mcp' }));
  await people.store.audit.append(many);
  const odd = { channel: 'mcp', at: NOW + 9999, requestId: 'odd', parameters: { '@A': 'x,"y"' }, rows: null } as const;
  await people.store.audit.append([entry({ ...odd, user: '=cmd()', apiKey: '＝1', client: '@agent\r\nnext' })]);

  const lines = (await text(expectSuccess(await trail.export({ channel: 'mcp' }, 'csv')))).split('\r\n');
  expect(lines[0]).toBe(
    'at,requestId,user,apiKey,action,query,queryVersion,parameters,channel,outcome,status,rows,bytes,durationMs,address,client,cached,error,kind,viewer,application',
  );
  expect(`${lines[1]}\r\n${lines[2]}`).toBe(
    `2026-11-15T10:00:09.999Z,odd,'=cmd(),'＝1,query.execute,QD_A_Sales,2,"{""@A"":""x,\\""y\\""""}",mcp,ok,200,,120,7,127.0.0.1,"'@agent\r\nnext",false,,person,,`,
  );
  expect(lines).toHaveLength(1 + 2 + 1500 + 1);
  expect(new Set(lines.slice(3, -1).map((line) => line.split(',')[1])).size).toBe(1500);
});

it('exports the same entries as NDJSON', async () => {
  const trail = createAuditTrail({ store: people.store, now: () => NOW });
  await people.store.audit.append([entry({ requestId: 'line', user: 'a\nb', channel: 'embed', parameters: { '@A': null } })]);
  const { userId, ...shown } = entry({ requestId: 'line', user: 'a\nb', channel: 'embed', parameters: { '@A': null } });
  const lines = (await text(expectSuccess(await trail.export({ channel: 'embed' }, 'ndjson')))).split('\n');
  expect(lines).toHaveLength(2);
  expect(JSON.parse(lines[0] ?? '')).toEqual({ ...shown, at: '2026-11-15T10:00:00.000Z' });
});

it('throws if the store becomes unavailable during an export, and fails if it is unavailable from the start', async () => {
  const away = new StoreError('unavailable', 'away');
  let pages = 0;
  const list: typeof people.store.audit.list = async (filter, request) => {
    if (pages++ > 0) throw away;
    return { ...(await people.store.audit.list(filter, request)), nextCursor: 'more' };
  };
  const trail = createAuditTrail({ store: { audit: { ...people.store.audit, list } }, now: () => NOW });
  await expect(text(expectSuccess(await trail.export({}, 'csv')))).rejects.toBe(away);
  expect(failureOf(await trail.export({}, 'ndjson')).kind).toBe('StoreUnavailable');
});
