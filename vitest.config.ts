import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// each worker has its own process and starts others, which would compile the same packages again
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'vitest');

// some measure the memory of their process, some kill and count processes
const isolated = ['contracts/**/*', 'faults/*', 'install/*', 'process/*', 'doors/exports/large'].map(
  (each) => `test/${each}.test.ts`,
);

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 4,
    projects: [
      { extends: true, test: { name: 'isolated', include: isolated } },
      // a process for each suite would load the whole service again, which takes longer than many of them
      { extends: true, test: { name: 'services', include: ['test/**/*.test.ts'], exclude: isolated, isolate: false } },
      {
        extends: true,
        test: {
          name: 'units',
          include: ['src/**/*.test.ts', 'demo/**/*.test.ts', 'web/**/*.test.ts'],
          isolate: false,
          env: { NODE_ENV: 'production' }, // otherwise the chart library writes 100,000 warnings about axes of 10,000 years
        },
      },
    ],
    globalSetup: ['test/support/services/global-setup.ts'],
    testTimeout: 60_000, // shows that nothing hangs; on a busy machine a service takes long to start
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } }, // a condition that never holds fails the test; a busy machine does not
  },
});
