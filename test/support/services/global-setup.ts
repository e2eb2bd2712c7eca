import type { TestProject } from 'vitest/node';
import { buildMissingAssets } from '../../../src/commands/build-assets.ts';
import { startPostgres } from '../databases/postgres-server.ts';
import { makeDemoFile } from './demo-file.ts';

/** Prepares what all suites share: the web assets, a demo database and a PostgreSQL. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await buildAssets();
  const demo = await makeDemoFile();
  project.provide('demoFile', demo.file);
  const stopPostgres = await providePostgres(project);
  return async () => {
    await stopPostgres();
    await demo.remove();
  };
}

/** A failed build of the pages does not stop the other suites; the browser suites report what is missing. */
async function buildAssets(): Promise<void> {
  try {
    await buildMissingAssets();
  } catch (error) {
    if (process.env.CI === 'true') throw error;
    process.stderr.write(`The web interface was not built: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}

/** Suites that need PostgreSQL are skipped when it cannot start, except in CI. */
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
