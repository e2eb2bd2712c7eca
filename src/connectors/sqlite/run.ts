import type { RowStream } from '../../results/row-stream.ts';
import type { RunOptions, Statement } from '../connector.ts';
import type { EngineProcess } from '../embedded/engine-process.ts';
import { engineRun } from '../embedded/engine-run.ts';
import { RunDeadline } from '../runs/run-deadline.ts';
import type { RunPool } from '../runs/run-pool.ts';
import { requireWritable } from '../statements/require-writable.ts';
import { columnOf } from './columns.ts';
import { engineError } from './engine-error.ts';
import { locateError } from './prepare.ts';
import type { BoundSql, DeclaredColumn, FailureReport, FileToOpen, Request } from './protocol.ts';
import { queryText, type StatementText, statementText } from './statement-text.ts';

const graceMs = 20; // a process that waits for the service stops faster; one that computes does not stop

export async function run(
  pool: RunPool<EngineProcess<Request>>,
  file: FileToOpen,
  { sql, parameters, epilogue }: Statement,
  { timeoutMs }: RunOptions,
  signal: AbortSignal,
): Promise<RowStream> {
  if (epilogue !== undefined) requireWritable(file);
  const main = queryText(sql, parameters);
  const after = epilogue === undefined ? {} : { epilogue: toBoundSql(statementText(epilogue, parameters)) };
  const deadline = new RunDeadline(signal, timeoutMs);
  const process = await pool.acquire(deadline);
  const channel = process.open();
  let isBusy = false; // searching for the position of an error
  const request: Request = { type: 'run', file, main: toBoundSql(main), ...after, timeoutMs };
  return engineRun(request, {
    channel,
    deadline,
    columnsOf: (content) => (content as DeclaredColumn[]).map(columnOf), // written by our own code
    errorOf: (content) => engineError(content as FailureReport),
    async startErrorOf(content) {
      const report = content as FailureReport;
      if (epilogue !== undefined) return engineError(report); // it may be the Epilogue's
      isBusy = true;
      const error = await deadline.runWithin(locateError(process, file, report, 'select', main));
      isBusy = false;
      return error;
    },
    async release() {
      const isFree = (channel.isFinished && !isBusy) || (process.isAlive && (await channel.stop(graceMs)));
      if (!isFree) process.kill();
      pool.release(process, deadline);
    },
  });
}

const toBoundSql = ({ sql, values }: StatementText): BoundSql => ({ sql, values });
