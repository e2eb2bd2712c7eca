import type { RowStream } from '../../results/row-stream.ts';
import type { RunOptions, Statement } from '../connector.ts';
import { EngineRun } from '../embedded/engine-run.ts';
import type { ProcessPool } from '../embedded/process-pool.ts';
import { requireWritable } from '../refused-epilogue.ts';
import { Watch } from '../watch.ts';
import { columnOf } from './columns.ts';
import { locatedError } from './describe.ts';
import { engineError } from './engine-error.ts';
import type { BoundSql, DeclaredColumn, FailureReport, FileToOpen, Request } from './protocol.ts';
import { queryText, type StatementText, statementText } from './statement-text.ts';

const graceMs = 20; // a process that waits for us ends a run in less; one that computes is not going to

export async function run(
  pool: ProcessPool<Request>,
  file: FileToOpen,
  { sql, parameters, epilogue }: Statement,
  { timeoutMs }: RunOptions,
  signal: AbortSignal,
): Promise<RowStream> {
  if (epilogue !== undefined) requireWritable(file);
  const main = queryText(sql, parameters);
  const after = epilogue === undefined ? {} : { epilogue: bound(statementText(epilogue, parameters)) };
  const watch = new Watch(signal, timeoutMs);
  const process = await pool.lend(watch);
  const channel = process.open();
  let isBusy = false; // with looking for the place of an error
  const rows = new EngineRun<Request>({
    channel,
    watch,
    columnsOf: (content) => (content as DeclaredColumn[]).map(columnOf), // both ends are ours
    errorOf: (content) => engineError(content as FailureReport),
    async startErrorOf(content) {
      const report = content as FailureReport;
      if (epilogue !== undefined) return engineError(report); // it may be the Epilogue's
      isBusy = true;
      const error = await watch.during(locatedError(process, file, report, 'select', main));
      isBusy = false;
      return error;
    },
    async release() {
      const isFree = (channel.isFinished && !isBusy) || (process.isAlive && (await channel.stop(graceMs)));
      if (isFree && process.isAlive) pool.giveBack(process, watch);
      else pool.discard(process, watch);
    },
  });
  return rows.start({ type: 'run', file, main: bound(main), ...after, timeoutMs });
}

const bound = ({ sql, values }: StatementText): BoundSql => ({ sql, values });
