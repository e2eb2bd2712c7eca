import { failed, type Failure, fieldInvalid, type Result, succeeded } from '../../core/errors.ts';
import { explain } from '../../core/explain.ts';
import type { Call } from '../../pipeline/call.ts';
import { type Continuation, type Continuations, MAX_CODE_LENGTH } from '../../results/continuation.ts';
import { logFailure } from '../http/failure-response.ts';
import { foldSeparators, isObject } from '../input/fields.ts';
import { isForModel, rpcErrorOf, toolErrorOf } from './explain-to-model.ts';
import type { Params } from './json-rpc.ts';
import { capabilitiesOf, type RpcRequest } from './protocol.ts';
import { tools } from './tool-list.ts';
import { completeResult, encodeResult, toolErrorResult, toolResult } from './tool-result.ts';
import type { RunningCall, Tool, ToolParts, ToolResponse } from './tool.ts';

// The extension io.modelcontextprotocol/tasks: a call whose rows are not there yet is a task, and tasks/get repeats it until they are. The
// id of a task contains the call, so that every replica can respond.

const TASKS = 'io.modelcontextprotocol/tasks';

type Task = Extract<Continuation, { kind: 'task' }> & { readonly taskId: string };

/** A task in place of a code, for a client that supports tasks; null: the response has the code. */
export function taskFor(
  { continuations, now }: ToolParts,
  request: RpcRequest,
  { running }: ToolResponse,
): Result<string> | null {
  const { params, protocolVersion } = request;
  if (running === undefined || !protocolVersion.isStateless || !announcesTasks(params)) return null;
  const task = createTask(continuations, running, isObject(params.arguments) ? params.arguments : {}, now());
  return task && encodeResult(request, { ...describeTask(task, 'working', now()), resultType: 'task' });
}

/** The response to tasks/get, tasks/update or tasks/cancel. */
export async function respondToTask(
  parts: ToolParts,
  request: RpcRequest,
  callOf: (tool: Pick<Tool, 'name'>) => Call,
): Promise<Result<string | Buffer>> {
  const { method, params } = request;
  if (!announcesTasks(params)) return failed({ kind: 'CapabilityMissing', extension: TASKS });
  const task = readTask(parts.continuations, params);
  const tool = tools.find((each) => each.name === task?.tool);
  if (task === null || tool === undefined) return failed(NO_TASK);
  if (method !== 'tasks/get') {
    const known = await parts.cancelRun(callOf({ name: method }), task.code, method === 'tasks/cancel');
    return known.ok ? encodeResult(request, {}) : known;
  }
  // the picture of a chart needs all rows
  const waitMs = tool.name === 'execute_chart_query' ? parts.waitMs() : Math.min(POLL_WAIT_MS, parts.waitMs());
  const response = await tool.call(parts, { ...callOf(tool), waitMs }, task.arguments);
  const now = parts.now();
  if (!response.ok) return describeFailure(request, task, response.failure, now);
  if (response.value.running !== undefined)
    return encodeResult(request, describeTask(task, 'working', now, 'The query is running.'));
  return succeeded(toolResult(request.id, response.value, request.protocolVersion, describeTask(task, 'completed', now)));
}

function describeFailure(request: RpcRequest, task: Task, failure: Failure, now: number): Result<string> {
  const { http, protocolVersion } = request;
  if (failure.kind === 'QueryCancelled' || (failure.kind === 'ContinuationExpired' && failure.abandoned))
    return encodeResult(request, describeTask(task, 'cancelled', now, explain(failure, http.id)));
  if (failure.kind === 'ContinuationExpired' || failure.kind === 'ContinuationInvalid') return failed(NO_TASK);
  if (!ofTheCall.has(failure.kind)) return failed(failure);
  logFailure(http, failure);
  if (isForModel(failure)) {
    const result = completeResult(toolErrorResult(toolErrorOf(failure, http.id)), protocolVersion);
    return encodeResult(request, { ...describeTask(task, 'completed', now), result });
  }
  const error = rpcErrorOf(failure, http.id, protocolVersion);
  return encodeResult(request, { ...describeTask(task, 'failed', now, error.message), error });
}

/** Failures of the call that the task represents; others concern the current request. */
const ofTheCall: ReadonlySet<Failure['kind']> = new Set([
  'QueryFailed',
  'QueryTimedOut',
  'CellTooLarge',
  'SnapshotIncomplete',
  'DatabaseUnavailable',
  'ChartTooLarge',
  'FieldInvalid',
  'Internal',
]);

const NO_TASK = fieldInvalid('taskId', 'There is no such task, or it has expired. Call the tool again.');

/** Whether the client of this request supports tasks. */
function announcesTasks(params: Params): boolean {
  const capabilities = capabilitiesOf(params);
  const extensions = isObject(capabilities) ? capabilities.extensions : undefined;
  return isObject(extensions) && isObject(extensions[TASKS]);
}

/** Null if its id would be too long for a header, which repeats it. */
function createTask(continuations: Continuations, running: RunningCall, sent: Params, createdAt: number): Task | null {
  const { tool, field, code } = running;
  // the code identifies the query and its parameters; the remaining fields are those of a chart or a file
  const isRepeated = tool === 'execute_chart_query' || tool === 'export_query';
  const left = isRepeated ? Object.entries(sent).filter(([name]) => !ofQuery.has(foldSeparators(name))) : [];
  const content = { kind: 'task' as const, tool, arguments: { ...Object.fromEntries(left), [field]: code }, code, createdAt };
  const taskId = continuations.issue(content);
  return taskId.length > MAX_CODE_LENGTH ? null : { ...content, taskId };
}

function readTask(continuations: Continuations, { taskId }: Params): Task | null {
  const content = typeof taskId === 'string' ? continuations.read(taskId, 'task') : null;
  return content === null || typeof taskId !== 'string' ? null : { ...content, taskId };
}

const ofQuery: ReadonlySet<string> = new Set(['apikey', 'queryname', 'queryid', 'parameters', 'rowindex', 'querymorecode']);
const TTL_MS = 35 * 60_000; // the longest timeout of a query, and the time for which its result is kept
const POLL_MS = 5_000;
const POLL_WAIT_MS = 2_000;

const describeTask = (
  { taskId, createdAt }: Task,
  status: 'working' | 'completed' | 'failed' | 'cancelled',
  now: number,
  statusMessage?: string,
) => ({
  taskId,
  status,
  ...(statusMessage === undefined ? {} : { statusMessage }),
  createdAt: new Date(createdAt).toISOString(),
  lastUpdatedAt: new Date(now).toISOString(),
  ttlMs: TTL_MS,
  pollIntervalMs: POLL_MS,
});
