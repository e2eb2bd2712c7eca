import type { Principal } from '../access/principal.ts';
import { accountOf } from '../core/account-of.ts';
import { failed, type Result, succeeded } from '../core/errors.ts';
import type { ClusterExecutions } from '../pipeline/executions.ts';
import type { ListRequest, ReportedExecution } from '../store/metadata-store.ts';
import type { AuditNote } from './change.ts';
import { isoTime } from './iso-time.ts';
import { paginate } from './paginate.ts';
import { isAdministrator } from './users/grant-rules.ts';

export type RunningQueries = ReturnType<typeof createRunningQueries>;

/** Users see and cancel their own executions, Administrators everyone's. */
export function createRunningQueries({ executions }: { executions: Omit<ClusterExecutions, 'exchange'> }) {
  const reaches = (actor: Principal, execution: ReportedExecution): boolean =>
    accountOf(execution.userId) === actor.userId || isAdministrator(actor);
  return {
    async list(actor: Principal, request: ListRequest) {
      const mine = (await executions.list()).filter((execution) => reaches(actor, execution));
      return paginate(mine.map(executionView), (execution) => execution.query, request);
    },
    async cancel(actor: Principal, id: string, note: AuditNote): Promise<Result<null>> {
      const execution = await executions.get(id);
      if (execution === undefined || !reaches(actor, execution)) return notRunning;
      note.query = execution.query;
      note.parameters = { execution: id, user: execution.user };
      return (await executions.cancel(id)) ? succeeded(null) : notRunning;
    },
  };
}

const notRunning = failed({ kind: 'NotFound', what: 'running query with this id' });

const executionView = ({ userId, request, startedAt, ...execution }: ReportedExecution) => ({
  ...execution,
  startedAt: isoTime(startedAt),
});
