import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { ConfigError, readConfig } from './config.ts';
import { version } from './version.ts';

const usage = `sluice ${version}: a governed gate between databases and everyone who needs their rows

  sluice start                               serve REST and the management interface
  sluice user reset-password [NAME]          give NAME (default: admin) a new password, printed once
  sluice --version | --help

Settings: docs/configuration.md`;

// halves the time of every start but the first
enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'sluice'));

// DuckDB works in libuv's threads: with too few of them a handful of long queries stops even file reads
process.env.UV_THREADPOOL_SIZE ??= '32';

async function run(words: readonly string[]): Promise<void> {
  const [command = 'start', ...rest] = words;
  if (command === '--version' || command === 'version') return print(version);
  if (command === '--help' || command === 'help') return print(usage);
  if (command === 'start' && rest.length === 0) {
    const config = readConfig();
    const { serve } = await import('./commands/serve.ts');
    return serve(config);
  }
  if (command === 'user' && rest[0] === 'reset-password' && rest.length <= 2) {
    const config = readConfig();
    const { resetPassword } = await import('./commands/reset-password.ts');
    return resetPassword(config, rest[1]);
  }
  throw new ConfigError(`unknown command: ${words.join(' ')} (try sluice --help)`);
}

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

// whatever we write is for our own eyes
process.umask(0o077);

run(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(
    error instanceof ConfigError
      ? `sluice: ${error.message}\n`
      : `sluice: ${error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exit(1); // open connections must not keep a failed start alive
});
