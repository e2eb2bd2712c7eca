import { type DestinationStream, type Logger, pino } from 'pino';
import { redactKeys } from '../access/api-key.ts';
import type { Config } from '../config/config.ts';
import { createOutageFilter } from './operator-errors.ts';

/** Redacts API keys in log lines, for example in messages of databases. */
export const createLog = (
  { logLevel }: Pick<Config, 'logLevel'>,
  to: DestinationStream = pino.destination({ dest: 2, sync: true }),
): Logger =>
  pino({ level: logLevel, base: { pid: process.pid }, hooks: { streamWrite: redactKeys, logMethod: createOutageFilter() } }, to);
