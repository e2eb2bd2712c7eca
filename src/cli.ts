import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { ConfigError, readConfig } from './config/config.ts';
import { version } from './version.ts';

interface Command {
  readonly words: string; // capitals: an argument; brackets: optional
  readonly meaning: string;
  run(said?: string): Promise<void>;
}

// loaded on demand, so that a start does not load what only a backup needs
const commands: readonly Command[] = [
  {
    words: 'start',
    meaning: 'serve the web interface, REST and MCP',
    run: async () => (await import('./commands/serve.ts')).serve(readConfig()),
  },
  {
    words: 'build',
    meaning: 'build the assets that a first start would build',
    run: async () => (await import('./commands/build-assets.ts')).buildMissingAssets(print),
  },
  {
    words: 'backup FILE',
    meaning: 'copy users, keys, catalog and audit trail to FILE; works while the service runs',
    run: async (file = '') => (await import('./commands/backup.ts')).backup(readConfig(), file),
  },
  {
    words: 'restore FILE',
    meaning: 'restore a backup into an empty installation',
    run: async (file = '') => (await import('./commands/restore.ts')).restore(readConfig(), file),
  },
  {
    words: 'audit export FILE',
    meaning: 'copy the audit trail to FILE (.csv or .ndjson); works while the service runs',
    run: async (file = '') => (await import('./commands/export-audit.ts')).exportAudit(readConfig(), file),
  },
  {
    words: 'secrets rotate',
    meaning: 'add a new master secret; the old ones stay valid until they are dropped',
    run: async () => (await import('./commands/rotate-secrets.ts')).rotateSecrets(readConfig()),
  },
  {
    words: 'secrets drop-old',
    meaning: 'invalidate everything signed with an older secret',
    run: async () => (await import('./commands/rotate-secrets.ts')).dropOldSecrets(readConfig()),
  },
  {
    words: 'doctor',
    meaning: 'check settings, files, store, databases and clock',
    run: async () => {
      process.exitCode = await (await import('./commands/doctor.ts')).doctor();
    },
  },
  {
    words: 'user reset-password [NAME]',
    meaning: 'give NAME (default: admin) a new password, printed once',
    run: async (name) => (await import('./commands/reset-password.ts')).resetPassword(readConfig(), name),
  },
  { words: '--version', meaning: 'which one this is', run: async () => print(version) },
  { words: '--help', meaning: 'this', run: async () => print(usage()) },
];

// halves the time of every start after the first
enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'sluice'));

// password hashing and compression run on libuv threads; with few threads they delay file access
process.env.UV_THREADPOOL_SIZE ??= '32';

// files are readable by their owner only
process.umask(0o077);

run(process.argv.slice(2)).catch(async (error: unknown) => {
  process.stderr.write(`sluice: ${await reasonOf(error)}\n`);
  process.exit(1); // open connections would keep a failed start alive
});

async function run(said: readonly string[]): Promise<void> {
  const words = said.length === 0 ? ['start'] : said;
  for (const command of commands) {
    const fits = matches(command, words);
    if (fits) return command.run(fits.said);
  }
  throw new ConfigError(`unknown command: ${words.join(' ')} (try sluice --help)`);
}

/** Errors that a person can fix are one line; others are defects and keep their stack. */
async function reasonOf(error: unknown): Promise<string> {
  if (error instanceof ConfigError) return error.message;
  const { nativeProblems } = await import('./operations/native-packages.ts');
  const missing = (await nativeProblems()).find(({ required }) => required);
  return missing?.message ?? String(error instanceof Error ? error.stack : error);
}

function matches(command: Command, words: readonly string[]): { said?: string } | null {
  const parts = command.words.split(' ');
  const fixed = parts.filter((part) => !/^\[?[A-Z]+\]?$/.test(part));
  const wanted = parts[fixed.length];
  const rest = words.slice(fixed.length);
  if (fixed.some((word, at) => words[at] !== word) || rest.length > (wanted === undefined ? 0 : 1)) return null;
  const [said] = rest;
  if (said === undefined) return wanted === undefined || wanted.startsWith('[') ? {} : null;
  return { said };
}

function usage(): string {
  return [
    `sluice ${version}: a governed gate between databases and everyone who needs their rows`,
    '',
    ...commands.map(({ words, meaning }) => `  sluice ${words.padEnd(28)} ${meaning}`),
    '',
    'Settings: docs/configuration.md',
  ].join('\n');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
