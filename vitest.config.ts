import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// each worker has its own process and starts others, which would compile the same packages again
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'vitest');

/** `npm run test:system`, beside journeys: whole processes, replicas, programs of others, failures and attacks, experimental engines. */
const system = [
  'test/{process,mcp}/**/*.test.ts', // mcp: clients and suites of others, a thousand queries
  'test/faults/**/*.test.ts',
  'test/install/**/*.test.ts',
  'test/doors/viewers/*attacks.test.ts',
  'test/doors/input/properties.test.ts', // thousands of calls
  'test/doors/mcp/long-*.test.ts', // calls that must take seconds
  'test/support/**/*.test.ts', // runs the runner
  'test/contracts/{result-storage,*/processes}.test.ts', // kill processes
  'test/contracts/metadata-store/audit-partitions.test.ts', // waits for locks
  'demo/**/*.test.ts', // makes the demo database several times
  'test/{contracts/{clickhouse,sqlserver,trino},doubles}/**/*.test.ts', // engines that only doubles of their servers have met
];

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 4,
    projects: [
      {
        extends: true,
        test: {
          name: 'units',
          include: ['src/**/*.test.ts', 'web/**/*.test.ts'],
          isolate: false, // a process for each suite would load the whole service again, which takes longer than many of them
          env: { NODE_ENV: 'production' }, // otherwise the chart library writes 100,000 warnings about axes of 10,000 years
        },
      },
      {
        extends: true,
        test: {
          name: 'doors',
          include: ['test/**/*.test.ts'],
          exclude: [...system, 'test/browser/**', 'test/journeys/**', 'test/contracts/**'],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'browser', include: ['test/browser/**/*.test.ts'], isolate: false } },
      // some measure the memory of their process, some kill and count processes
      { extends: true, test: { name: 'contracts', include: ['test/contracts/**/*.test.ts'], exclude: system } },
      { extends: true, test: { name: 'system', include: system } },
      // after `system`, whose suites measure processes: a browser takes what they need
      {
        extends: true,
        test: { name: 'journeys', include: ['test/journeys/**/*.test.ts'], isolate: false, sequence: { groupOrder: 1 } },
      },
    ],
    globalSetup: ['test/support/services/global-setup.ts'],
    testTimeout: 60_000, // shows that nothing hangs; on a busy machine a service takes long to start
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } }, // a condition that never holds fails the test; a busy machine does not
  },
});
