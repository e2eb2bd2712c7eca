import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/**
 * `npm test`: types, format, lint, unused code, then the projects of vitest.config.ts except `system` and `journeys`. `npm run test:system`: those.
 * More words select suites by their paths. The last line is `N passed, N failed`.
 */
async function main(words: readonly string[]): Promise<number> {
  const isSystem = words[0] === 'system';
  const checks = isSystem ? [] : await runChecks();
  const projects = isSystem ? ['--project=system', '--project=journeys'] : ['--project=!system', '--project=!journeys'];
  const suites = await runSuites([...projects, ...(isSystem ? words.slice(1) : words)]);
  const mayNotSkip = process.env.CI === 'true' && suites.skipped > 0;
  if (mayNotSkip) process.stdout.write('\nTests were skipped: in CI nothing may be.\n');
  const passed = checks.filter((each) => each).length + suites.passed;
  const failed = checks.filter((each) => !each).length + suites.failed + (mayNotSkip ? suites.skipped : 0);
  const skipped = suites.skipped > 0 && !mayNotSkip ? `, ${suites.skipped} skipped` : '';
  process.stdout.write(`\n${passed} passed, ${failed} failed${skipped}\n`);
  return failed === 0 ? 0 : 1;
}

async function runChecks(): Promise<boolean[]> {
  return [
    await run('tsc', []),
    await run('tsc', ['-p', 'web']),
    await run('oxfmt', ['--check']),
    await run('oxlint', []),
    await run('knip', []),
  ];
}

/** A suite that fails is run once more, alone; one that passes then is named as unstable. Many failures are not of that kind. */
async function runSuites(words: readonly string[]): Promise<Suites> {
  const first = await runVitest(words);
  if (first.failedFiles.length === 0 || first.failedFiles.length > UNSTABLE_AT_MOST) return first;
  process.stdout.write(`\nThese suites failed and are run once more, alone:\n${listOf(first.failedFiles)}`);
  const second = await runVitest([...words.filter((word) => word.startsWith('--')), '--maxWorkers=1', ...first.failedFiles]);
  const unstable = first.failedFiles.filter((file) => !second.failedFiles.includes(file));
  if (unstable.length > 0) process.stdout.write(`\nUnstable, passed alone only:\n${listOf(unstable)}`);
  const mended = Math.max(0, first.failed - second.failed); // what passed at once is in both reports
  return { ...first, passed: first.passed + mended, failed: second.failed };
}

const UNSTABLE_AT_MOST = 3;

interface Suites {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failedFiles: readonly string[];
}

/** What vitest writes, as far as it is read here. */
interface Report {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
  readonly numPendingTests: number;
  readonly testResults: readonly { readonly status: string; readonly name: string }[];
}

const listOf = (files: readonly string[]): string => files.map((file) => `  ${relative(process.cwd(), file)}\n`).join('');

/** Uses the report instead of the exit code, which a library in the setup sets to 0. */
async function runVitest(words: readonly string[]): Promise<Suites> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-report-'));
  const report = join(folder, 'report.json');
  try {
    await run('vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...words]);
    const { success, numPassedTests, numFailedTests, numFailedTestSuites, numPendingTests, testResults }: Report = JSON.parse(
      await readFile(report, 'utf8'),
    );
    // a suite that fails before its first test has no failed test
    const hasBrokenSuite = numFailedTests === 0 && (!success || numFailedTestSuites > 0);
    return {
      passed: numPassedTests,
      failed: hasBrokenSuite ? Math.max(1, numFailedTestSuites) : numFailedTests,
      skipped: numPendingTests,
      failedFiles: testResults.flatMap(({ status, name }) => (status === 'failed' ? [name] : [])),
    };
  } catch (error) {
    process.stdout.write(`\nThe suites left no report: ${error instanceof Error ? error.message : String(error)}\n`);
    return { passed: 0, failed: 1, skipped: 0, failedFiles: [] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function run(command: string, args: readonly string[]): Promise<boolean> {
  const child = spawn(join('node_modules', '.bin', command), args, { stdio: 'inherit' });
  return new Promise((resolve) => {
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code === 0));
  });
}

process.exit(await main(process.argv.slice(2)));
