import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres-server.ts';

/** Starts PostgreSQL once for the run. Where it cannot, suites that need it are skipped, but never in CI. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  try {
    const server = await startPostgres();
    project.provide('postgresUrl', server.url);
    project.provide('postgresProblem', null);
    return () => server.stop();
  } catch (error) {
    if (process.env.CI === 'true') throw error;
    project.provide('postgresUrl', null);
    project.provide('postgresProblem', error instanceof Error ? error.message : String(error));
    return async () => undefined;
  }
}
