import { randomUUID } from 'node:crypto';
import { applicationOf, has, type Principal, viewerBehind } from '../../access/principal.ts';
import { expandLists } from '../../catalog/parameter.ts';
import type { ParameterDefinition } from '../../catalog/query.ts';
import type { Config } from '../../config/config.ts';
import { type Connections, ConnectorError } from '../../connectors/connector.ts';
import { failed, type Failure, FailureError, type Result, succeeded } from '../../core/errors.ts';
import { type BoundParameter, textsOf } from '../../core/sql-value.ts';
import { CellTooLargeError } from '../../results/encode/json-rows.ts';
import { observeStream, type RowStream } from '../../results/row-stream.ts';
import { SnapshotStoppedError, SnapshotStorageError, spaceBound, SpaceExhaustedError } from '../../results/snapshot/stop.ts';
import type { Authorized, QueryForm } from '../authorized.ts';
import type { Call } from '../call.ts';
import { type Executions, requestOf, type RunningExecution } from '../executions.ts';
import type { Admission } from '../limits/admission.ts';
import type { KeySlots } from '../limits/key-limits.ts';
import { findCanceller } from './find-canceller.ts';

export interface ExecuteParts {
  readonly admission: Pick<Admission, 'enter'>;
  readonly keySlots: KeySlots;
  readonly connections: Connections;
  readonly executions: Executions;
  readonly config: () => Config;
}

export interface Execution {
  readonly id: string;
  /** Closing it releases the slot. */
  readonly rows: RowStream;
  /** Aborted when a user cancels it, or the caller disconnects before `continueInBackground`. */
  readonly signal: AbortSignal;
  /** Whether reading the rows can pause without blocking writers of the database. */
  readonly mayPause: boolean;
  /** The rows are now read in the background: a disconnect no longer cancels, and the caller's limits no longer count it. */
  continueInBackground(): void;
}

export type Executed = Pick<Authorized<QueryForm>, 'call' | 'principal' | 'query' | 'database' | 'values'> & {
  readonly id?: string | undefined; // of the result, if callers may wait for it by that id
};

export type Execute = (executed: Executed) => Promise<Result<Execution>>;

/** Acquires a slot, runs the query on its database and lists it as running until its rows are closed. */
export function createExecute({ admission, keySlots, connections, executions, config }: ExecuteParts): Execute {
  return async ({ call, principal, query, database, values, id = randomUUID() }) => {
    const { definition } = query.current;
    const { dialect, placeholders, blocksWriters } = connections.engineOf(database);
    const statement = expandLists(definition, dialect, placeholders, values);
    if (!statement.ok) return statement;

    using acquired = new DisposableStack(); // released here unless rows are left to read
    const keySlot = await keySlots.acquire(principal);
    if (!keySlot.ok) return keySlot;
    acquired.use(keySlot.value);

    const stop = new AbortController();
    const leave = (): void => stop.abort(new Error('the caller left'));
    const ignoreCaller = (): void => call.signal.removeEventListener('abort', leave);
    call.signal.addEventListener('abort', leave);
    if (call.signal.aborted) leave();
    acquired.defer(ignoreCaller);

    const running = createExecution(id, query.queryName, principal, call);
    acquired.defer(executions.begin(running, (reason) => stop.abort(reason)));

    const slot = await admission.enter(database.id, principal.userId, stop.signal);
    if (!slot.ok) return slot;
    acquired.use(slot.value);
    if (running.state === 'waiting') running.state = 'running';

    const mask = maskErrors(definition.parameters, values);
    const timeoutMs = (definition.timeoutSeconds ?? config().queryTimeoutSeconds) * 1000;
    try {
      const connector = await connections.connectorFor(database, stop.signal);
      const rows = await connector.run(statement.value, { timeoutMs }, stop.signal);
      if (rows.whole !== undefined) return succeeded(createWholeExecution(running.id, rows, stop.signal));
      const held = acquired.move();
      return succeeded({
        id: running.id,
        rows: observeStream(withMaskedErrors(rows, mask), {
          onBatch: ({ length }) => {
            running.rows += length;
            call.onRows?.(running.rows);
          },
          onClosed: () => held.dispose(),
        }),
        signal: stop.signal,
        mayPause: blocksWriters !== true,
        continueInBackground: () => {
          ignoreCaller();
          keySlot.value[Symbol.dispose]();
          slot.value.releaseUser();
          if (running.state === 'running') running.state = 'draining';
        },
      });
    } catch (error) {
      return failed(addReason(principal, executionFailure(mask === null ? error : mask(error))));
    }
  };
}

/** An execution that waits for its slot. */
export const createExecution = (
  id: string,
  query: string,
  principal: Principal,
  { channel, startedAt, cancelName }: Pick<Call, 'channel' | 'startedAt' | 'cancelName'>,
): RunningExecution => ({
  id,
  query,
  userId: principal.userId,
  user: principal.username,
  kind: principal.userKind,
  viewer: viewerBehind(principal)?.sub ?? null,
  application: applicationOf(principal),
  channel,
  request: cancelName === undefined ? null : requestOf(principal, cancelName),
  startedAt,
  rows: 0,
  state: 'waiting',
});

/** An execution that has already ended. */
const createWholeExecution = (id: string, rows: RowStream, signal: AbortSignal): Execution => ({
  id,
  rows,
  signal,
  mayPause: true,
  continueInBackground: () => undefined,
});

/** The failure that a caller sees for an error of an execution. The cause goes to the log only. */
export function executionFailure(cause: unknown): Failure {
  if (cause instanceof FailureError) return cause.failure;
  if (cause instanceof CellTooLargeError) return { kind: 'CellTooLarge', cause };
  if (cause instanceof SpaceExhaustedError && cause.of === 'user')
    return { kind: 'SnapshotIncomplete', reason: spaceBound(cause) };
  if (cause instanceof SnapshotStorageError || cause instanceof SpaceExhaustedError) return { kind: 'StoreUnavailable', cause };
  if (cause instanceof SnapshotStoppedError) return { kind: 'ShuttingDown', cause };
  if (!(cause instanceof ConnectorError)) return { kind: 'Internal', cause };
  switch (cause.kind) {
    case 'timeout':
      return { kind: 'QueryTimedOut', cause };
    case 'cancelled':
      return { kind: 'QueryCancelled', cause, ...findCanceller(cause) };
    case 'unavailable':
      return { kind: 'DatabaseUnavailable', cause };
    case 'invalid': // the query was validated: the database has changed since
    case 'failed':
      return { kind: 'QueryFailed', cause };
  }
}

/** Authors read why a database is unavailable, where the message is for them. */
function addReason(principal: Principal, failure: Failure): Failure {
  if (failure.kind !== 'DatabaseUnavailable' || !has(principal, 'queries.author')) return failure;
  const { cause } = failure;
  return cause instanceof ConnectorError && cause.isForAuthors ? { ...failure, reason: cause.message } : failure;
}

/** Error messages of databases quote values. This replaces masked values by ***, because the message goes to the log. */
export type MaskError = (error: unknown) => unknown;

/** Null if no value is masked. */
export function maskErrors(declared: readonly ParameterDefinition[], values: readonly BoundParameter[]): MaskError | null {
  if (!declared.some((each) => each.masked === true)) return null;
  const masked = new Set(declared.filter((each) => each.masked === true).map(({ name }) => name));
  const texts = values
    .filter(({ name }) => masked.has(name))
    .flatMap(textsOf)
    .filter((value) => value !== '');
  if (texts.length === 0) return null;
  return (error) => {
    if (!(error instanceof ConnectorError)) return error;
    const message = texts.reduce((text, value) => text.replaceAll(value, '***'), error.message);
    const { kind, position, isForAuthors } = error;
    // without its cause, which contains the same message
    return new ConnectorError(kind, message, { position, isForAuthors });
  };
}

/** The same rows, with masked values removed from errors. */
export function withMaskedErrors(rows: RowStream, mask: MaskError | null): RowStream {
  if (mask === null) return rows;
  const { columns } = rows;
  return {
    columns,
    async *batches() {
      try {
        yield* rows.batches();
      } catch (error) {
        throw mask(error);
      }
    },
    close: () => rows.close(),
  };
}
