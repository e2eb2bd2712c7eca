import { join } from 'node:path';
import { defineConfig } from 'vite';
import { compressAssets } from '../compress-assets.ts';

/** Builds one classic script, because a sandboxed page without an origin cannot load modules. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  plugins: [compressAssets()],
  build: {
    outDir: join(import.meta.dirname, '..', '..', 'dist', 'embed'),
    emptyOutDir: true,
    target: 'es2022',
    manifest: true,
    license: { fileName: 'LICENSES.md' },
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      input: join(import.meta.dirname, 'main.ts'),
      output: { format: 'iife', entryFileNames: 'embed-[hash].js' },
    },
  },
});
