import { randomUUID } from 'node:crypto';
import { has, identityOf, type Principal } from '../../access/principal.ts';
import type { CallerIdentity } from '../../catalog/caller-identity.ts';
import { checkParameterDefinitions } from '../../catalog/parameter-definition.ts';
import { type BindContext, bindParameters, type SentParameter, expandLists } from '../../catalog/parameter.ts';
import { checkPlaceholders, findPlaceholders } from '../../catalog/placeholders.ts';
import type { ParameterDefinition } from '../../catalog/query.ts';
import type { Clock } from '../../catalog/relative-moment.ts';
import { classifyColumns } from '../../charts/classify.ts';
import type { Connections, Engine } from '../../connectors/connector.ts';
import { failed, fieldInvalid, type Result, succeeded } from '../../core/errors.ts';
import type { Call } from '../../pipeline/call.ts';
import type { Executions } from '../../pipeline/executions.ts';
import type { Admission } from '../../pipeline/limits/admission.ts';
import type { KeySlots } from '../../pipeline/limits/key-limits.ts';
import type { RowQuota } from '../../pipeline/limits/row-quota.ts';
import type { AuditDraft } from '../../pipeline/steps/audit-call.ts';
import { createExecution } from '../../pipeline/steps/execute.ts';
import { ByteWriter } from '../../results/byte-writer.ts';
import { labelColumns, observeValues } from '../../results/columns.ts';
import { createJsonRowEncoder } from '../../results/encode/json-rows.ts';
import { observeStream, type RowStream } from '../../results/row-stream.ts';
import type { DatabaseRecord, MetadataStore } from '../../store/metadata-store.ts';
import { AUTHOR_MS, explainToAuthor } from '../author-failure.ts';
import type { AuditNote } from '../change.ts';
import { databaseDisabled } from '../databases/database-probe.ts';
import { findMissingPrivilegeToTakeOver, permissionDenied } from '../users/grant-rules.ts';
import { readDirectory } from '../users/user-view.ts';
import { checkListUse } from './check-query.ts';
import { mayUse, unknownDatabase } from './query-definition.ts';

export interface PreviewInput {
  readonly database: string; // name
  readonly sql: string;
  readonly parameters: readonly ParameterDefinition[];
  readonly values: readonly SentParameter[];
  readonly as: string | null; // user whose identity is used; null: the author's
}

/** Runs unsaved SQL read-only and returns `{data, columns}` as JSON text, so that numbers keep all digits. */
export type Preview = (actor: Principal, input: PreviewInput, call: PreviewCall, note: PreviewNote) => Promise<Result<string>>;
export type PreviewCall = Pick<Call, 'channel' | 'startedAt' | 'signal' | 'cancelName'>;
type PreviewNote = AuditNote & Pick<AuditDraft, 'rows' | 'bytes'>;

export interface PreviewParts {
  readonly store: MetadataStore;
  readonly connections: Pick<Connections, 'connectorFor' | 'engineOf'>;
  /** Admission, so that previews count against the same limits as queries. */
  readonly enter: Admission['enter'];
  readonly executions: Pick<Executions, 'begin'>;
  readonly rowQuota: RowQuota; // of the key that is used
  readonly keySlots: KeySlots;
  readonly readClock: () => Clock; // for relative moments
}

const PREVIEW_ROWS = 100;
const MAX_BYTES = 16 << 20;
const SQL_IN_AUDIT = 4000;

export function createPreview(parts: PreviewParts): Preview {
  const { store, connections, enter, executions, rowQuota, keySlots, readClock } = parts;
  return async (actor, input, call, note) => {
    note.parameters = {
      database: input.database,
      sql: input.sql.slice(0, SQL_IN_AUDIT),
      values: maskValues(input),
      ...(input.as === null ? {} : { as: input.as.slice(0, 200) }),
    };
    const quota = await rowQuota.acquire(actor);
    if (!quota.ok) return quota;
    using allowance = quota.value;
    const acquired = await keySlots.acquire(actor);
    if (!acquired.ok) return acquired;
    using _keySlot = acquired.value;
    await allowance.holdAll(PREVIEW_ROWS);
    if (!has(actor, 'queries.author')) return permissionDenied('queries.author');
    const database = await store.databases.byName(input.database);
    if (database === null || !mayUse(actor, database)) return failed({ kind: 'FieldInvalid', problems: [unknownDatabase] });
    if (database.disabled) return failed(databaseDisabled(database));
    const caller = await identityFor(store, actor, input.as);
    if (!caller.ok) return caller;
    const bound = bind(input, connections.engineOf(database), { caller: caller.value, clock: readClock() });
    if (!bound.ok) return bound;

    const stop = new AbortController();
    const running = createExecution(randomUUID(), previewOn(database), actor, call);
    const end = executions.begin(running, (reason) => stop.abort(reason));
    const work = explainToAuthor(AbortSignal.any([call.signal, stop.signal]), async (bounded) => {
      const slot = await enter(database.id, actor.userId, bounded);
      if (!slot.ok) return slot;
      using _slot = slot.value;
      if (running.state === 'waiting') running.state = 'running';
      const connector = await connections.connectorFor(database);
      const rows = await connector.run(bound.value, { timeoutMs: AUTHOR_MS }, bounded);
      const counted = observeStream(rows, {
        onBatch: ({ length }) => {
          running.rows += length;
        },
      });
      const first = await readFirstRows(counted);
      note.rows = first.rows;
      allowance.settle(first.rows);
      note.bytes = Buffer.byteLength(first.json);
      return succeeded(first.json);
    });
    return work.finally(end);
  };
}

/** Previews as another user require `users.manage`: its holders could give an account of their own the same attributes anyway. */
async function identityFor(store: MetadataStore, actor: Principal, as: string | null): Promise<Result<CallerIdentity>> {
  if (as === null) return succeeded(identityOf(actor));
  if (!has(actor, 'users.manage')) return permissionDenied('users.manage');
  const standing = await store.principals.byUsername(as);
  if (standing === null) return failed(fieldInvalid('as', 'There is no user with this name.'));
  const refusal = findMissingPrivilegeToTakeOver(actor, standing.user, await readDirectory(store));
  if (refusal !== null) return refusal;
  const { id, username, email, fullName, attributes } = standing.user;
  return succeeded({ id, name: username, email, fullName, roles: standing.roleNames, attributes });
}

/** Shown instead of a technical name, which never contains parentheses. */
const previewOn = ({ name }: DatabaseRecord): string => `(preview on ${name})`;

/** Binds only the parameters used in the text: an editor sends all declared ones, even to run a part of the query. */
function bind({ sql, parameters, values }: PreviewInput, { dialect, placeholders }: Engine, context: BindContext) {
  const definitions = checkParameterDefinitions(parameters);
  const undeclared = checkPlaceholders(sql, undefined, dialect, parameters).filter((problem) => problem.field === 'sql');
  const problems = [...definitions, ...undeclared];
  if (problems.length > 0) return failed({ kind: 'FieldInvalid', problems });
  const placed = checkListUse({ sql, parameters }, dialect);
  if (!placed.ok) return placed;
  const used = new Set(findPlaceholders(sql, dialect));
  const idle = new Set(parameters.map(({ name }) => name).filter((name) => !used.has(name)));
  const declared = parameters.filter(({ name }) => used.has(name));
  const sent = values.filter(({ ParameterName }) => !idle.has(ParameterName));
  const bound = bindParameters(declared, sent, context);
  return bound.ok ? expandLists({ sql }, dialect, placeholders, bound.value) : bound;
}

async function readFirstRows(stream: RowStream): Promise<{ readonly json: string; readonly rows: number }> {
  try {
    const columns = labelColumns(stream.columns, []);
    const observer = observeValues(stream.columns);
    const encoder = createJsonRowEncoder(columns);
    const out = new ByteWriter();
    out.ascii('{"data":[');
    let rows = 0;
    reading: for await (const batch of stream.batches()) {
      for (let row = 0; row < batch.length; row++) {
        if (rows === PREVIEW_ROWS || out.length > MAX_BYTES) break reading;
        if (rows > 0) out.ascii(',');
        encoder.encodeRow(batch, row, out);
        observer.look(batch, row);
        rows++;
      }
    }
    const shown = classifyColumns(columns, [], observer.seen()).map((column) => ({ name: column.label, type: column.class }));
    out.utf8(`],"columns":${JSON.stringify(shown)}}`);
    return { json: out.view().toString('utf8'), rows };
  } finally {
    await stream.close();
  }
}

function maskValues({ parameters, values }: PreviewInput): Record<string, unknown> {
  const masked = new Set(parameters.filter((parameter) => parameter.masked).map(({ name }) => name));
  return Object.fromEntries(values.map(({ ParameterName: name, Value }) => [name, masked.has(name) ? '***' : Value]));
}
