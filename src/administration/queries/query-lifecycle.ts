import type { Principal } from '../../access/principal.ts';
import { activate, deactivate, discardDraft, editTargetVersion, restore, validate, markVoid } from '../../catalog/lifecycle.ts';
import type { Query, QueryDefinition } from '../../catalog/query.ts';
import { chartProblems } from '../../charts/suggest-chart.ts';
import type { Connections } from '../../connectors/connector.ts';
import type { Column } from '../../core/column.ts';
import { failed, fieldInvalid, type FieldProblem, type Result, succeeded } from '../../core/errors.ts';
import { unitProblems } from '../../pipeline/steps/embed-chart.ts';
import { labelColumns } from '../../results/columns.ts';
import type { DatabaseRecord, Repositories } from '../../store/metadata-store.ts';
import { explainToAuthor } from '../author-failure.ts';
import type { AdministrationParts, AuditNote, IfMatch } from '../change.ts';
import { databaseDisabled } from '../databases/database-probe.ts';
import { checkChoices, describeSql, checkParameterUse, listWarnings } from './check-query.ts';
import { buildQueryView } from './queries.ts';
import { breakingChange, readBreakingChanges } from './query-changes.ts';
import { checkEpilogue, mayUse, notWritableFailure, unknownDatabase } from './query-definition.ts';
import { findQuery, type QueryAction } from './query-rights.ts';
import type { QueryView } from './query-view.ts';

/** Returns the query after the transition. If-Match names the version that it is meant for. */
type Move = (actor: Principal, id: string, ifMatch: IfMatch, note: AuditNote) => Promise<Result<QueryView>>;

export type QueryLifecycle = ReturnType<typeof createQueryLifecycle>;

export interface LifecycleParts extends AdministrationParts {
  readonly connections: Pick<Connections, 'connectorFor' | 'engineOf'>;
  readonly providerAttributes: ReadonlySet<string>; // that the OpenID Connect provider fills in
}

/** Whether changes that break callers are activated. Neither: `compatibility` of the query decides. */
export interface ActivateOptions {
  readonly allowBreaking?: boolean;
  readonly ifNotBreaking?: boolean;
}

export function createQueryLifecycle(parts: LifecycleParts) {
  const { store, now } = parts;
  type CheckAllowed = (query: Query, repositories: Repositories) => Promise<Result<unknown>>;

  const move = (
    actor: Principal,
    id: string,
    action: QueryAction,
    ifMatch: IfMatch,
    note: AuditNote,
    of: MoveOf,
    applyMove: (query: Query) => Result<Query>,
    checkAllowed: CheckAllowed = async () => succeeded(null),
  ): Promise<Result<QueryView>> =>
    store.transaction(async (repositories) => {
      const found = await findQuery(repositories, actor, id, action);
      if (!found.ok) return found;
      const query = found.value;
      noteMove(note, of, query, null);
      if (ifMatch !== undefined && ifMatch !== editTargetVersion(query)) return failed({ kind: 'VersionConflict' });
      const after = applyMove(query);
      if (!after.ok) return after;
      const fine = await checkAllowed(query, repositories);
      if (!fine.ok) return fine;
      await repositories.queries.update(after.value);
      noteMove(note, of, query, after.value);
      return succeeded(await buildQueryView(repositories, actor, after.value, after.value.current));
    });

  const createMove =
    (action: QueryAction, applyMove: typeof activate): Move =>
    (actor, id, ifMatch, note) =>
      move(actor, id, action, ifMatch, note, 'entry', (query) => applyMove(query, actor.username, now()));

  return {
    /** Warnings for the author do not prevent validation; left out if there are none. */
    async validate(actor: Principal, id: string, ifMatch: IfMatch, signal: AbortSignal, note: AuditNote) {
      const prepared = await prepare(parts, actor, id, note);
      if (!prepared.ok) return prepared;
      const { query, target, database } = prepared.value;
      const discovered = await describeQuery(parts, target.definition, database, signal);
      if (!discovered.ok) return discovered;
      const { columns, warnings } = discovered.value;
      // only the revision that was described may be marked as validated
      const after = await move(actor, id, 'validate', ifMatch, note, 'draft', (fresh) =>
        fresh.revision === query.revision ? validate(fresh, columns, actor.username, now()) : failed({ kind: 'VersionConflict' }),
      );
      return after.ok && warnings.length > 0 ? succeeded({ ...after.value, warnings }) : after;
    },
    async activate(actor: Principal, id: string, ifMatch: IfMatch, note: AuditNote, options: ActivateOptions = {}) {
      if (options.allowBreaking && options.ifNotBreaking)
        return failed(fieldInvalid('ifNotBreaking', 'It contradicts allowBreaking. Send one of the two.'));
      let breaking = 0;
      const makeActive = (query: Query) => activate(query, actor.username, now());
      const after = await move(actor, id, 'activate', ifMatch, note, 'draft', makeActive, async (query, repositories) => {
        const { definition } = query.draft ?? query.current;
        const database = await repositories.databases.get(definition.databaseId);
        if (database === null || !mayUse(actor, database)) return failed({ kind: 'FieldInvalid', problems: [unknownDatabase] });
        const mayWrite = checkEpilogue(actor, definition, database);
        if (!mayWrite.ok) return mayWrite;
        const changes = await readBreakingChanges(repositories, query);
        breaking = changes.length;
        const isRefused = options.ifNotBreaking || (query.current.labels.compatibility === 'enforce' && !options.allowBreaking);
        return isRefused && breaking > 0 ? failed(breakingChange(changes, ({ path }) => path)) : succeeded(null);
      });
      if (breaking > 0) note.parameters = { ...note.parameters, breaking };
      return after;
    },
    deactivate: createMove('deactivate', deactivate),
    void: createMove('void', markVoid),
    restore: createMove('restore', restore),
    /** Discards the draft and nothing else. */
    discardDraft: (async (actor, id, ifMatch, note) => {
      const after = await move(actor, id, 'discardDraft', ifMatch, note, 'draft', (query) =>
        discardDraft(query, actor.username, now()),
      );
      if (after.ok) note.parameters = { ...note.parameters, to: 'discarded' };
      return after;
    }) satisfies Move,
  };
}

/** The columns of a query as its database describes them, and warnings for its author. */
export function describeQuery(
  { store, connections, providerAttributes }: Pick<LifecycleParts, 'store' | 'connections' | 'providerAttributes'>,
  definition: QueryDefinition,
  database: DatabaseRecord,
  signal: AbortSignal,
) {
  const engine = connections.engineOf(database);
  return explainToAuthor(signal, async (bounded) => {
    const columns = await describeSql(await connections.connectorFor(database), definition, engine.dialect, bounded);
    if (!columns.ok) return columns;
    const problems = findChartProblems(definition, columns.value);
    if (problems.length > 0) return failed({ kind: 'FieldInvalid', problems });
    const known = new Set([...providerAttributes, ...(await store.users.listAttributeNames())]);
    return succeeded({ columns: columns.value, warnings: listWarnings(engine, definition, known) });
  });
}

/** The columns of the author's chart must be columns of the result, its measures no ids, and labels with a unit of time times. */
export function findChartProblems(
  { chart, columns: settings }: QueryDefinition,
  columns: readonly Column[],
): readonly FieldProblem[] {
  if (chart === undefined) return [];
  const labeled = labelColumns(columns, settings);
  const problems = [...chartProblems(chart, labeled), ...unitProblems(labeled, chart.label, chart.timeUnit ?? 'auto')];
  return problems.map(({ field, message }) => ({ field: `chart.${field}`, message }));
}

/** The checks of a validation that do not need the database. */
async function prepare({ store, connections, now }: LifecycleParts, actor: Principal, id: string, note: AuditNote) {
  const found = await findQuery(store, actor, id, 'validate');
  if (!found.ok) return found;
  const query = found.value;
  noteMove(note, 'draft', query, null);
  const possible = validate(query, [], actor.username, now());
  if (!possible.ok) return possible;

  const target = query.draft ?? query.current;
  const database = await store.databases.get(target.definition.databaseId);
  if (database === null || !mayUse(actor, database)) return failed({ kind: 'FieldInvalid', problems: [unknownDatabase] });
  if (database.disabled) return failed(databaseDisabled(database));
  if (target.definition.epilogue !== undefined && !database.writable) return failed(notWritableFailure(database));
  const placed = checkParameterUse(target.definition, connections.engineOf(database).dialect);
  const agree = placed.ok ? await checkChoices(store, actor, query, target.definition) : placed;
  return agree.ok ? succeeded({ query, target, database }) : agree;
}

/** Whether a transition acts on the entry or on its draft. */
type MoveOf = 'entry' | 'draft';

/**
 * Records the statuses before and after; `to` is null in a refusal. A transition of the draft names its version and records what
 * happened to the entry separately.
 */
function noteMove(note: AuditNote, of: MoveOf, before: Query, after: Query | null): void {
  const { draft } = before;
  const entry = { from: before.status, to: after?.status ?? null };
  note.query = before.queryName;
  if (of === 'entry' || draft === null) {
    note.queryVersion = before.current.version;
    note.parameters = entry;
    return;
  }
  note.queryVersion = draft.version;
  note.parameters = { from: draft.status, to: draftStatus(after), draft: draft.version, entry };
}

/** After activation, the former draft is the current version. */
const draftStatus = (after: Query | null) => (after === null ? null : (after.draft?.status ?? after.status));
