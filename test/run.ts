import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * `npm test`: types, format, lint, unused code, then the projects of vitest.config.ts except `system`. `npm run test:system`: that one.
 * More words select suites by their paths. The last line is `N passed, N failed`.
 */
async function main(words: readonly string[]): Promise<number> {
  const isSystem = words[0] === 'system';
  const checks = isSystem ? [] : await runChecks();
  const suites = await runSuites(isSystem ? ['--project=system', ...words.slice(1)] : ['--project=!system', ...words]);
  const passed = checks.filter((each) => each).length + suites.passed;
  const failed = checks.filter((each) => !each).length + suites.failed;
  const skipped = suites.skipped > 0 ? `, ${suites.skipped} skipped` : '';
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

/** Uses the report instead of the exit code, which a library in the setup sets to 0. */
async function runSuites(words: readonly string[]): Promise<{ passed: number; failed: number; skipped: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-report-'));
  const report = join(folder, 'report.json');
  try {
    await run('vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...words]);
    const { success, numPassedTests, numFailedTests, numFailedTestSuites, numPendingTests } = JSON.parse(
      await readFile(report, 'utf8'),
    );
    const mayNotSkip = process.env.CI === 'true' && numPendingTests > 0;
    if (mayNotSkip) process.stdout.write('\nTests were skipped: in CI nothing may be.\n');
    const broken = numFailedTests + (mayNotSkip ? numPendingTests : 0);
    // a suite that fails before its first test has no failed test
    const failed = broken === 0 && (!success || numFailedTestSuites > 0) ? Math.max(1, numFailedTestSuites) : broken;
    return { passed: numPassedTests, failed, skipped: mayNotSkip ? 0 : numPendingTests };
  } catch (error) {
    process.stdout.write(`\nThe suites left no report: ${error instanceof Error ? error.message : String(error)}\n`);
    return { passed: 0, failed: 1, skipped: 0 };
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
