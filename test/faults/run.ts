import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * `npm run test:faults [numbers]`: runs the long form of every row of the table in docs/security.md and prints its figures:
 * `4  50 slow readers  …  holds`. Rows that involve the metadata store run on both stores. Takes about an hour on two idle cores.
 * With TEST_S3_URL, as https://key:secret@host:port/bucket, results are kept there.
 */
const faults: readonly Fault[] = [
  { number: 1, name: 'kill -9 under load', files: ['faults/kill'], environments: onBoth({ TEST_KILLS: '20' }) },
  { number: 2, name: 'database restarted in mid-query', files: ['faults/restart'], environments: onBoth({ TEST_RESTARTS: '5' }) },
  {
    number: 3,
    name: 'clients disconnect, timeout, Cancel, MCP abort',
    files: ['faults/disconnects'],
    environments: onBoth({ TEST_LEAVERS: '20' }),
  },
  { number: 4, name: 'slow readers', files: ['faults/slow-readers'], environments: onBoth({ TEST_READERS: '50' }) },
  {
    number: 5,
    name: '1,000,000 × 10 rows in every form',
    files: ['faults/exact-rows'],
    environments: onBoth({ TEST_ROWS: '1000000' }),
  },
  {
    number: 6,
    name: 'disk full',
    files: ['faults/disk-full'],
    environments: onBoth({ TEST_FULL_MS: '20000' }),
    onDisk: true,
  },
  { number: 7, name: 'metadata locked', files: ['faults/lock'], environments: onBoth({ TEST_LOCK_MS: '10000' }) },
  { number: 8, name: 'fuzzed requests', files: ['faults/fuzz', 'faults/mcp-fuzz'], environments: onBoth({ TEST_FUZZ: '10000' }) },
  {
    number: 9,
    name: 'revoked, disabled, regenerated under load',
    files: ['faults/revocation'],
    environments: onBoth({ TEST_ROUNDS: '20' }),
  },
  { number: 10, name: 'parallel key creations', files: ['doors/access/stores'], environments: [{ TEST_RACES: '20' }] }, // tests both stores by itself
  { number: 11, name: 'escape attempts per engine', files: ['contracts'], tests: 'changes nothing' },
  {
    number: 12,
    name: 'every route × every caller',
    files: ['doors/access/matrix', 'doors/access/query-matrix', 'doors/access/routes'],
    environments: onBoth({}),
  },
  { number: 13, name: 'canary secrets', files: ['faults/secrets'], environments: [{ TEST_METADATA: 'both' }] },
  { number: 14, name: 'altered embed tokens', files: ['doors/embeds/tokens', 'doors/embeds/links'], environments: onBoth({}) },
  { number: 15, name: 'markup in data, in a browser', files: ['faults/markup'], environments: onBoth({ TEST_MARKUP: 'all' }) },
  { number: 16, name: '3× overload', files: ['faults/overload'], environments: onBoth({ TEST_OVERLOAD_SECONDS: '60' }) },
  { number: 17, name: 'failure in mid-result', files: ['faults/broken-results'], environments: onBoth({ TEST_BROKEN: 'all' }) },
  {
    number: 18,
    name: 'session state of another caller',
    files: ['faults/session-state'],
    environments: onBoth({}),
  },
  { number: 18, name: 'session state, per engine', files: ['contracts'], tests: 'pooled session|sessions of PostgreSQL' },
  { number: 19, name: 'widening an Active query', files: ['doors/access/query-widening'], environments: onBoth({}) },
  {
    number: 20,
    name: 'hostile previews on DuckDB and SQLite',
    files: ['faults/hostile-previews', 'contracts/duckdb/processes'],
    environments: [{ TEST_HOSTILE_SECONDS: '600' }],
  },
  {
    number: 21,
    name: 'a flood of wrong keys',
    files: ['faults/wrong-key-flood', 'faults/unauthenticated-calls'],
    environments: onBoth({ TEST_FLOOD_SECONDS: '60' }),
  },
  {
    number: 22,
    name: 'searches of a long audit trail',
    files: ['faults/audit-search'],
    environments: onBoth({ TEST_ENTRIES: '1000000' }),
  },
  {
    number: 23,
    name: 'responses that are not read',
    files: ['faults/unread-responses'],
    environments: onBoth({ TEST_UNREAD: '60' }),
  },
  { number: 24, name: 'rows of a limited key in parallel', files: ['doors/keys/quotas'], environments: onBoth({}) },
  { number: 25, name: 'roles that queries name', files: ['doors/access/guarded-roles'], environments: onBoth({}) },
  { number: 26, name: 'calls in an Epilogue that change the engine', files: ['doors/databases/epilogue-filter'] },
  { number: 27, name: 'guesses from many addresses', files: ['doors/access/guess-delay'], environments: onBoth({}) },
  { number: 28, name: 'one user fills the export space', files: ['doors/exports/share'], environments: onBoth({}) },
  {
    number: 29,
    name: 'narrowed keys, Hosts, HSTS, masked values at rest, CSV separators',
    files: [
      'doors/keys/rights',
      'doors/http/hosts-and-hsts',
      'doors/http/tls',
      'doors/rest/snapshot-masking',
      'doors/exports/formats',
    ],
    environments: onBoth({}),
  },
  { number: 30, name: 'masked values on Trino', files: ['doors/management/validate-warnings'], environments: onBoth({}) },
  {
    number: 31,
    name: 'first pages whose next page is never requested',
    files: ['faults/abandoned-pages', 'faults/paused-drains'],
    environments: onBoth({ TEST_ABANDONED: '40' }),
    onDisk: true,
  },
  {
    number: 32,
    name: 'three replicas and their object store',
    files: ['contracts/result-storage', 'process/replicas-balanced', 'process/shared-limits'],
    environments: [{ TEST_LIMITS: 'exact' }],
  },
  {
    number: 33,
    name: 'bodies that cannot be finished, also behind proxies',
    files: ['faults/cut-bodies', 'faults/unfinished-bodies'],
    environments: onBoth({ TEST_CUT_ROWS: '1000000' }),
  },
  {
    number: 34,
    name: 'work before a credential is checked',
    files: ['faults/unauthenticated-work'],
    environments: onBoth({ TEST_STRANGER_CALLS: '15' }),
  },
  {
    number: 35,
    name: 'searches of a large catalog',
    files: ['faults/growth'],
    environments: [{ TEST_CATALOG: '10000' }],
  },
  {
    number: 36,
    name: 'choices of any size',
    files: ['faults/choices', 'faults/choices-engines'],
    environments: [{ TEST_SHORT_CHOICES: '4000000', TEST_WIDE_CHOICES: '150000' }],
  },
  { number: 37, name: 'identities that queries are bound to', files: ['doors/access/bound-identity'], environments: onBoth({}) },
  {
    number: 38,
    name: 'refused passwords and keys at every door',
    files: ['doors/audit/refused-credentials'],
    environments: onBoth({}),
  },
  { number: 39, name: 'many embeds at once', files: ['faults/many-embeds'], environments: onBoth({ TEST_EMBEDS: '50' }) },
  { number: 40, name: 'memory limits beyond 32 bits', files: ['faults/engine-memory'] },
  { number: 41, name: 'choices that are closed to AI', files: ['doors/mcp/forms'], environments: onBoth({}) },
  { number: 42, name: 'connections to foreign servers', files: ['doors/databases/foreign-servers'], environments: onBoth({}) },
  { number: 43, name: 'long lists of values', files: ['faults/long-lists'] },
  {
    number: 44,
    name: 'memory of responses that are not read',
    files: ['faults/unread-memory'],
    environments: onBoth({ TEST_UNREAD: '60' }),
  },
  {
    number: 45,
    name: 'mistakes of operators, readiness, interrupted backups',
    files: ['faults/readiness', 'process/refused-start', 'process/backup-interrupted'],
    environments: onBoth({ TEST_READY_MS: '5000', TEST_BACKUP_ENTRIES: '2000000' }),
    onDisk: true,
  },
  { number: 46, name: 'viewer tokens', files: ['doors/viewers', 'journeys/viewer-embeds'], environments: onBoth({}) },
  { number: 47, name: 'data links', files: ['doors/data'], environments: onBoth({}) },
  {
    number: 48,
    name: 'regular expressions and readers of foreign text',
    files: ['faults/regular-expressions', 'faults/foreign-text'],
    environments: [{ TEST_FOREIGN_TEXT: '262144' }],
  },
];

interface Fault {
  readonly number: number;
  readonly name: string;
  readonly files: readonly string[]; // below test/
  readonly tests?: string; // only the tests whose names match
  readonly environments?: readonly Readonly<Record<string, string>>[]; // one run each
  readonly onDisk?: boolean; // needs results in the data folder
}

function onBoth(environment: Readonly<Record<string, string>>) {
  return ['sqlite', 'postgres'].map((store) => ({ ...environment, TEST_METADATA: store }));
}

interface Outcome {
  readonly holds: boolean;
  readonly figures: readonly string[];
  readonly output: string;
}

async function main(numbers: readonly number[]): Promise<number> {
  const chosen = faults.filter(({ number }) => numbers.length === 0 || numbers.includes(number));
  let failed = 0;
  for (const fault of chosen) {
    const startedAt = performance.now();
    const outcomes: Outcome[] = [];
    for (const environment of fault.environments ?? [{}]) outcomes.push(await run(fault, environment));
    const holds = outcomes.every((each) => each.holds);
    if (!holds) failed++;
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const figures = outcomes.flatMap((each) => each.figures).join(' | ');
    process.stdout.write(`${fault.number}  ${fault.name}  ${figures}  (${seconds} s)  ${holds ? 'holds' : 'FAILS'}\n`);
    for (const { output } of outcomes.filter((each) => !each.holds)) process.stdout.write(`${output}\n`);
  }
  process.stdout.write(`\n${chosen.length - failed} hold, ${failed} fail\n`);
  return failed === 0 ? 0 : 1;
}

/** Uses the report: a skipped test proves nothing. */
async function run({ number, files, tests, onDisk }: Fault, environment: Readonly<Record<string, string>>): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-faults-'));
  const report = join(folder, 'report.json');
  const named = tests === undefined ? [] : ['--testNamePattern', tests];
  const paths = files.map((file) => `test/${file}`);
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...named, ...paths];
  let output = '';
  try {
    output = await outputOf(join('node_modules', '.bin', 'vitest'), args, environment, onDisk === true ? ['TEST_S3_URL'] : []);
    const { success, testResults }: Report = JSON.parse(await readFile(report, 'utf8'));
    const results = testResults.flatMap(({ assertionResults }) => assertionResults);
    const count = (status: string) => results.filter((each) => each.status === status).length;
    // tests that the pattern excludes are reported as skipped
    const skipped = tests === undefined ? count('pending') + count('skipped') : 0;
    const figures = [...output.matchAll(new RegExp(`^fault ${number}: (.*)$`, 'gm'))].map(([, text = '']) => text);
    const reported = `${count('passed')} tests passed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    const { TEST_METADATA: store = 'no store of its own' } = environment;
    return { holds: success && count('passed') > 0 && skipped === 0, figures: [`${store}:`, ...figures, reported], output };
  } catch (error) {
    return { holds: false, figures: ['no report'], output: `${output}\n${String(error)}` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Report {
  readonly success: boolean;
  readonly testResults: readonly { readonly assertionResults: readonly { readonly status: string }[] }[];
}

function outputOf(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  without: readonly string[],
): Promise<string> {
  const inherited = Object.entries(process.env).filter(([name]) => !without.includes(name));
  const child = spawn(command, args, {
    env: { ...Object.fromEntries(inherited), NO_COLOR: '1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve(text));
  });
}

process.exit(await main(process.argv.slice(2).map(Number)));
