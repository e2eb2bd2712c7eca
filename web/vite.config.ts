import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressAssets } from './compress-assets.ts';

export default defineConfig({
  root: import.meta.dirname,
  base: './', // the service puts its base path in front of the addresses in index.html; files refer to each other
  plugins: [react(), compressAssets()],
  build: {
    outDir: join(import.meta.dirname, '..', 'dist', 'web'),
    emptyOutDir: true,
    target: 'es2022',
    // a data: URL would need an exception in the content security policy
    assetsInlineLimit: 0,
    // the polyfill is an inline script, which the policy forbids
    modulePreload: { polyfill: false },
    manifest: true,
    license: { fileName: 'LICENSES.md' },
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // by default every set of pages that shares a module gets a file, which makes twice as many requests
          groups: [
            { name: 'base', tags: ['$initial'] },
            { name: 'shared', minShareCount: 10, maxModuleSize: 60_000 },
          ],
        },
      },
    },
  },
});
