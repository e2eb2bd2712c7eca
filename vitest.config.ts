import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// each suite has its own process and starts others, which would compile the same packages again
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'vitest');

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 4,
    projects: [
      // small and many: a process of its own for each would take longer than most of them
      {
        extends: true,
        test: { name: 'units', include: ['src/**/*.test.ts', 'demo/**/*.test.ts', 'web/**/*.test.ts'], isolate: false },
      },
      { extends: true, test: { name: 'services', include: ['test/**/*.test.ts'] } },
    ],
    globalSetup: ['test/support/services/global-setup.ts'],
    testTimeout: 60_000, // shows that nothing hangs; on a busy machine a service takes long to start
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } }, // a condition that never holds fails the test; a busy machine does not
  },
});
