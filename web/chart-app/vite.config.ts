import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

/** One HTML file without any other address, as hosts of MCP Apps require. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  plugins: [buildSingleFile()],
  build: {
    outDir: join(import.meta.dirname, '..', '..', 'dist', 'chart-app'),
    emptyOutDir: true,
    target: 'es2022',
    license: { fileName: 'LICENSES.md' },
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      input: join(import.meta.dirname, 'main.ts'),
      output: { format: 'iife', entryFileNames: 'main.js' },
    },
  },
});

/** The script is compressed, because clients load the file as text over MCP. */
function buildSingleFile(): Plugin {
  return {
    name: 'single-file',
    generateBundle(_options, bundle) {
      const script = bundle['main.js'];
      if (script?.type !== 'chunk') throw new Error('The script of the chart app is missing.');
      delete bundle['main.js'];
      const page = readFileSync(join(import.meta.dirname, 'page.html'), 'utf8');
      const source = page.replace('COMPRESSED_SCRIPT', gzipSync(script.code, { level: 9 }).toString('base64'));
      this.emitFile({ type: 'asset', fileName: 'chart.html', source });
    },
  };
}
