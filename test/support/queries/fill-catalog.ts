import { generateApiKey } from '../../../src/access/api-key.ts';
import type { User } from '../../../src/access/user.ts';
import type { AuditEntry } from '../../../src/audit/audit-entry.ts';
import { emptyLabels } from '../../../src/catalog/query-fields.ts';
import type { Query } from '../../../src/catalog/query.ts';
import { chartConfigDefaults } from '../../../src/core/chart-config.ts';
import type { MetadataStore, Repositories } from '../../../src/store/metadata-store.ts';

export interface CatalogSize {
  readonly queries: number;
  readonly users: number;
  readonly keys: number;
  readonly embeds: number;
  readonly entries: number; // of the audit trail
}

/** Who owns what is filled in. */
export interface CatalogOwner {
  readonly userId: string;
  readonly username: string;
  readonly databaseId: string;
  readonly roleId: string; // the queries are for this role, but the first one, which is for all
}

/** Fills a store through its repositories from one size to another, in transactions of some hundred rows. */
export async function fillCatalog(store: MetadataStore, owner: CatalogOwner, from: CatalogSize, to: CatalogSize): Promise<void> {
  const insert = async (kind: keyof CatalogSize, one: (inside: Repositories, index: number) => Promise<unknown>) => {
    for (let start = from[kind]; start < to[kind]; start += BATCH_SIZE) {
      await store.transaction(async (inside) => {
        for (let index = start; index < Math.min(start + BATCH_SIZE, to[kind]); index++) await one(inside, index);
      });
    }
  };
  await insert('queries', ({ queries }, index) => queries.insert(queryOf(index, owner)));
  await insert('users', ({ users }, index) => users.insert(userOf(index, owner)));
  await insert('keys', ({ apiKeys }, index) => apiKeys.insert(keyOf(index, owner), 5, START));
  await insert('embeds', ({ embeds }, index) => embeds.insert(embedOf(index, owner)));
  const entries = Array.from({ length: to.entries - from.entries }, (_, index) => entryOf(from.entries + index, owner));
  for (let start = 0; start < entries.length; start += BATCH_SIZE)
    await store.audit.append(entries.slice(start, start + BATCH_SIZE));
  const ran = Array.from({ length: to.queries - from.queries }, (_, index) => from.queries + index);
  await store.queryUses.noteRuns(
    ran.map((index) => ({ queryId: `filled-${index}`, userId: index % 50 === 0 ? owner.userId : null, at: START + index })),
  );
}

const BATCH_SIZE = 500;
const START = Date.UTC(2026, 0, 1);

const nouns = ['Sales', 'Orders', 'Customers', 'Invoices', 'Shipments', 'Suppliers', 'Payroll', 'Tickets', 'Campaigns', 'Loans'];
const measures = ['revenue', 'margin', 'churn', 'overdue days', 'late deliveries', 'defects', 'refunds', 'downtime', 'arrears'];
const dimensions = ['by month', 'by region', 'by country', 'by team', 'by category', 'by weekday', 'top ten', 'year over year'];
const pick = (list: readonly string[], index: number): string => list[index % list.length] ?? '';

export function nameAt(index: number): string {
  return `${pick(nouns, index)} ${pick(measures, Math.floor(index / 10))} ${pick(dimensions, Math.floor(index / 90))} ${index}`;
}
export const queryNameAt = (index: number): string => `QD_${nameAt(index).replaceAll(' ', '_')}_Warehouse`;

function queryOf(index: number, { username, databaseId, roleId }: CatalogOwner): Query {
  const id = `filled-${index}`;
  const words = (count: number) => Array.from({ length: count }, (_, at) => pick(wordList, index * 7 + at * 13)).join(' ');
  const parameters = ['@Region', '@From', '@To'].map((name) => ({
    name,
    dataType: 'nvarchar(50)',
    required: false,
    default: 'x',
    description: words(8),
  }));
  const current = {
    queryId: id,
    version: 1,
    definition: {
      name: nameAt(index),
      databaseId,
      sql: `select region, amount from orders where region = @Region -- ${words(60)}`,
      parameters,
      columns: [],
    },
    labels: {
      ...emptyLabels,
      description: words(30),
      tip: words(10),
      tags: [pick(nouns, index)],
      roleIds: index === 0 ? [] : [roleId],
    },
    note: '',
    resultColumns: ['Region', 'Amount', 'Team', 'Customer', 'Country'].map((name) => ({
      name,
      type: 'VARCHAR',
      kind: 'text' as const,
    })),
    createdAt: START + index,
    createdBy: username,
  };
  const times = { createdAt: START + index, createdBy: username, updatedAt: START + index, updatedBy: username };
  return {
    id,
    queryName: queryNameAt(index),
    nameFixed: true,
    status: 'Active',
    current,
    draft: null,
    lastVersion: 1,
    revision: 1,
    ...times,
  };
}

/** Words that look like those of a language: 3,000 of them. */
const syllables = ['ba', 'cor', 'den', 'fil', 'gam', 'hos', 'jun', 'kel', 'lim', 'mor', 'nap', 'pir', 'quo', 'ras', 'sel'];
const wordList = Array.from({ length: 3000 }, (_, at) =>
  [at, Math.floor(at / 15), Math.floor(at / 225)].map((each) => pick(syllables, each)).join(''),
);

const userOf = (index: number, { roleId, databaseId }: CatalogOwner): User => ({
  id: `filled-${index}`,
  username: `person${index}`,
  fullName: `Person Number ${index}`,
  email: `person${index}@example.org`,
  kind: 'person',
  ownerId: null,
  signing: null,
  passwordHash: null,
  externalId: `https://login.example.org ${index}`,
  credentialVersion: 1,
  roleIds: [roleId],
  databaseScope: [databaseId],
  attributes: {},
  expiresAt: null,
  disabled: false,
  version: 1,
  createdAt: START,
});

/** A third of them are revoked ones of the owner, the others are of everyone else. */
function keyOf(index: number, { userId }: CatalogOwner) {
  const isOwn = index % 3 === 0;
  const { key: _, ...generated } = generateApiKey();
  return {
    ...generated,
    userId: isOwn ? userId : `filled-${index % 20}`,
    name: `key ${index}`,
    queries: null,
    limits: null,
    tools: 'generic' as const,
    createdAt: START + index,
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: START + index,
  };
}

const embedOf = (index: number, { userId }: CatalogOwner) => ({
  id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
  userId,
  queryName: queryNameAt(index % 100),
  parameters: [],
  ...{ viewer: 'issuer' as const, open: [] },
  chart: {
    ...chartConfigDefaults,
    title: `Chart ${index}`,
    chartType: 'bar' as const,
    labelColumn: 'Region',
    dataColumn: 'Amount',
  },
  stamp: `stamp-${index}`,
  days: null,
  createdAt: START + index,
  issuedAt: START + index,
  expiresAt: null,
  views: 0,
  lastViewedAt: null,
});

const entryOf = (index: number, { userId, username }: CatalogOwner): AuditEntry => ({
  ...{ at: Date.now() - 3_600_000 + index, requestId: `filled-${index}`, userId, user: username, apiKey: null },
  ...{ action: 'query.execute', query: queryNameAt(index % 100), queryVersion: 1, parameters: { '@Region': 'North' } },
  ...{ channel: 'ui', outcome: index % 7 === 0 ? 'failed' : 'ok', status: 200, error: index % 7 === 0 ? 'query_failed' : null },
  ...{
    rows: 10,
    bytes: 1000,
    durationMs: 5,
    address: '127.0.0.1',
    client: null,
    kind: 'person',
    viewer: null,
    application: null,
    cached: false,
  },
});
