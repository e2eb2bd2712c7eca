import type { TestProject } from 'vitest/node';
import { makeDemoFile } from './demo-file.ts';
import { startPostgres } from './postgres-server.ts';

/** What the suites of a run share: a demo database and a PostgreSQL. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const demo = await makeDemoFile();
  project.provide('demoFile', demo.file);
  const stopPostgres = await providePostgres(project);
  return async () => {
    await stopPostgres();
    await demo.remove();
  };
}

/** Where PostgreSQL cannot start, suites that need it are skipped, but never in CI. */
async function providePostgres(project: TestProject): Promise<() => Promise<void>> {
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
