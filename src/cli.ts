import { ConfigError, readConfig } from './config/config.ts';
import { version } from './core/version.ts';

interface Command {
  readonly usage: string; // capitals: an argument; brackets: optional
  readonly summary: string;
  run(argument?: string, ...more: readonly string[]): Promise<void>;
  readonly takesMore?: true; // further arguments and options, which it reads itself
}

// loaded on demand, so that a start does not load what only a backup needs
const commands: readonly Command[] = [
  {
    usage: 'start',
    summary: 'serve the web interface, REST and MCP',
    run: async () => (await import('./commands/serve.ts')).serve(readConfig()),
  },
  {
    usage: 'build',
    summary: 'build the assets that a first start would build',
    run: async () => (await import('./commands/build-assets.ts')).buildMissingAssets(print),
  },
  {
    usage: 'backup FILE',
    summary: 'copy users, keys, catalog and audit trail to FILE; works while the service runs',
    run: async (file = '') => (await import('./commands/backup.ts')).backup(readConfig(), file),
  },
  {
    usage: 'restore FILE',
    summary: 'restore a backup into an empty installation',
    run: async (file = '') => (await import('./commands/backup.ts')).restore(readConfig(), file),
  },
  {
    usage: 'audit export FILE',
    summary: 'copy the audit trail to FILE (.csv or .ndjson); works while the service runs',
    run: async (file = '') => (await import('./commands/export-audit.ts')).exportAudit(readConfig(), file),
  },
  {
    usage: 'catalog export FOLDER',
    summary: 'write the Active queries of a service to files; --url and --key, or SLUICE_URL and SLUICE_API_KEY',
    run: async (...args) => runCatalog('export', args),
    takesMore: true,
  },
  {
    usage: 'catalog plan FOLDER',
    summary: 'show what apply would do; exits 0: nothing, 2: changes, 3: breaking changes, 1: error',
    run: async (...args) => runCatalog('plan', args),
    takesMore: true,
  },
  {
    usage: 'catalog apply FOLDER',
    summary: 'make the catalog of a service like the files; all of them or none',
    run: async (...args) => runCatalog('apply', args),
    takesMore: true,
  },
  {
    usage: 'secrets rotate',
    summary: 'add a new master secret; the old ones stay valid until they are dropped',
    run: async () => (await import('./commands/rotate-secrets.ts')).rotateSecrets(readConfig()),
  },
  {
    usage: 'secrets drop-old',
    summary: 'invalidate everything signed with an older secret',
    run: async () => (await import('./commands/rotate-secrets.ts')).dropOldSecrets(readConfig()),
  },
  {
    usage: 'doctor',
    summary: 'check settings, files, store, databases and clock',
    run: async () => {
      process.exitCode = await (await import('./commands/doctor.ts')).runDoctor();
    },
  },
  {
    usage: 'user reset-password [NAME]',
    summary: 'give NAME (default: admin) a new password, printed once',
    run: async (name) => (await import('./commands/reset-password.ts')).resetPassword(readConfig(), name),
  },
  { usage: '--version', summary: 'print the version', run: async () => print(version) },
  { usage: '--help', summary: 'print this help', run: async () => print(help()) },
];

// password hashing and compression run on libuv threads; with few threads they delay file access
process.env.UV_THREADPOOL_SIZE ??= '32';

// files are readable by their owner only
process.umask(0o077);

run(process.argv.slice(2)).catch(async (error: unknown) => {
  process.stderr.write(`sluice: ${await reasonOf(error)}\n`);
  process.exit(1); // open connections would keep a failed start alive
});

async function runCatalog(command: 'export' | 'plan' | 'apply', args: readonly (string | undefined)[]): Promise<void> {
  const { catalog } = await import('./commands/catalog/catalog.ts');
  const sent = args.filter((each) => each !== undefined);
  process.exitCode = await catalog(command, sent, process.env);
}

async function run(args: readonly string[]): Promise<void> {
  const words = args.length === 0 ? ['start'] : args;
  for (const command of commands) {
    const match = matchOf(command, words);
    if (match !== null) return command.run(...match);
  }
  throw new ConfigError(`unknown command: ${words.join(' ')} (try sluice --help)`);
}

/** Errors that a person can fix are one line; others are defects and keep their stack. */
async function reasonOf(error: unknown): Promise<string> {
  const { operatorMessage } = await import('./operations/operator-errors.ts');
  const message = operatorMessage(error);
  if (message !== null) return message;
  const { findNativeProblems } = await import('./operations/native-packages.ts');
  const missing = (await findNativeProblems()).find(({ required }) => required);
  return missing?.message ?? String(error instanceof Error ? error.stack : error);
}

/** The arguments after the words of the command; null: it is another command. */
function matchOf({ usage, takesMore }: Command, args: readonly string[]): readonly string[] | null {
  const parts = usage.split(' ');
  const words = parts.filter((part) => !/^\[?[A-Z]+\]?$/.test(part));
  const placeholder = parts[words.length];
  const rest = args.slice(words.length);
  if (words.some((word, index) => args[index] !== word)) return null;
  if (takesMore === true) return rest;
  if (rest.length > (placeholder === undefined ? 0 : 1)) return null;
  return rest.length > 0 || placeholder === undefined || placeholder.startsWith('[') ? rest : null;
}

function help(): string {
  return [
    `sluice ${version}: a governed gate between databases and everyone who needs their rows`,
    '',
    ...commands.map(({ usage, summary }) => `  sluice ${usage.padEnd(28)} ${summary}`),
    '',
    'Settings: docs/configuration.md',
  ].join('\n');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
