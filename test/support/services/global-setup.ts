import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildMissingAssets } from '../../../src/commands/build-assets.ts';
import { startPostgres } from '../databases/postgres-server.ts';
import { createDataTemplate } from './data-template.ts';

/** Prepares what all suites share: the web assets, a data folder and a PostgreSQL. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await buildAssets();
  const template = await createDataTemplate();
  project.provide('dataTemplate', template.data);
  project.provide('demoFile', join(template.data, 'demo.duckdb'));
  const stopPostgres = await providePostgres(project);
  return async () => {
    await stopPostgres();
    await template.remove();
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
