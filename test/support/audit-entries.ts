import { eventually } from './eventually.ts';
import { type Caller, expectStatus, type List } from './services/service.ts';

export interface AuditItem {
  readonly at: string;
  readonly requestId: string;
  readonly user: string | null;
  readonly apiKey: string | null;
  readonly action: string;
  readonly query: string | null;
  readonly queryVersion: number | null;
  readonly parameters: Readonly<Record<string, unknown>> | null;
  readonly channel: string;
  readonly outcome: string;
  readonly status: number;
  readonly error: string | null;
  readonly rows: number | null;
  readonly bytes: number | null;
  readonly durationMs: number;
  readonly address: string;
  readonly client: string | null;
  readonly cached: boolean;
}

/** The only audit entry of a response; throws when there is none or more than one. */
export async function auditOf(auditor: Caller, { headers }: { readonly headers: Headers }): Promise<AuditItem> {
  const id = headers.get('x-request-id');
  const { items } = await entriesOf(auditor, id);
  const [entry] = items;
  if (entry === undefined || items.length !== 1) throw new Error(`${items.length} audit entries of ${id}`);
  return entry;
}

/** The audit entry of a response, awaited because that of an aborted response is written when it ends. */
export async function entryOf(auditor: Caller, { headers }: { readonly headers: Headers }): Promise<AuditItem | undefined> {
  const id = headers.get('x-request-id');
  const { items } = await eventually(
    () => entriesOf(auditor, id),
    ({ items }) => items.length > 0,
  );
  return items[0];
}

const entriesOf = async (auditor: Caller, id: string | null): Promise<List<AuditItem>> =>
  (await expectStatus(auditor.call<List<AuditItem>>('GET', `/api/v1/audit?requestId=${id}`), 200)).json;
