import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { createFreshStore } from './metadata-store.ts';
import { ADMIN_PASSWORD, type Caller, callerOf, type TestCredential } from './service.ts';

const SLUICE = resolve(import.meta.dirname, '../../../bin/sluice');
const READY = /^Sluice is ready at (\S+)$/m;
const START_MS = 60_000;

/** A folder for one or more service processes, which are killed when it is removed. */
export interface Workspace {
  readonly folder: string; // working directory of the processes
  readonly data: string;
  readonly files: string;
  readonly store: Environment; // the settings of its metadata store
  /** Runs `sluice <args>`; `environment` contains SLUICE_… settings. */
  run(args: readonly string[], environment?: Environment): RunningProcess;
  /** Runs `sluice start` and waits until it is ready. */
  start(environment?: Environment): Promise<ServiceProcess>;
  remove(): Promise<void>;
}

export type Environment = Readonly<Record<string, string>>;

export interface RunningProcess {
  readonly pid: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** The exit code, or the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals>;
  signal(signal: NodeJS.Signals): void;
}

export interface ServiceProcess extends RunningProcess {
  readonly url: string;
  readonly readyMs: number; // since its start
  as(credential?: TestCredential): Caller;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | NodeJS.Signals>;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
}

export interface WorkspaceOptions {
  readonly demo?: boolean; // false lets the service create the demo database, which takes a second
  readonly command?: string; // path of another sluice command
}

export async function createWorkspace({ demo = true, command = SLUICE }: WorkspaceOptions = {}): Promise<Workspace> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-process-'));
  const data = join(folder, 'data');
  const files = join(folder, 'files');
  await mkdir(files);
  if (demo) await copyDemo(data);
  const store = await createFreshStore();
  const running = new Set<RunningProcess>();
  // also when a suite aborts before it removes its workspace
  process.once('exit', () => {
    for (const each of running) each.signal('SIGKILL');
  });

  const run: Workspace['run'] = (args, environment = {}) => {
    const child = spawn(command, args, { cwd: folder, env: environmentOf({ SLUICE_PORT: '0', ...store, ...environment }) });
    const started = watchProcess(child);
    running.add(started);
    void started.ended.then(() => running.delete(started));
    return started;
  };
  return {
    folder,
    data,
    files,
    store,
    run,
    start: (environment) => whenReady(run(['start'], { SLUICE_ADMIN_PASSWORD: ADMIN_PASSWORD, ...environment })),
    async remove() {
      const left = [...running];
      for (const each of left) each.signal('SIGKILL');
      await Promise.all(left.map((each) => each.ended));
      // workers of a killed primary end shortly afterwards
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

export async function copyDemo(data: string): Promise<void> {
  await mkdir(data, { recursive: true, mode: 0o700 });
  await copyFile(inject('demoFile'), join(data, 'demo.duckdb'));
}

export async function whenReady(started: RunningProcess): Promise<ServiceProcess> {
  const startedAt = performance.now();
  let ended: number | NodeJS.Signals | null = null;
  void started.ended.then((how) => {
    ended = how;
  });
  for (;;) {
    const url = READY.exec(started.stdout())?.[1];
    if (url !== undefined) return toServiceProcess(started, url, performance.now() - startedAt);
    if (ended !== null || performance.now() - startedAt > START_MS) {
      throw new Error(`not ready (${ended ?? 'too late'}): ${started.stdout()}${started.stderr()}`);
    }
    await sleep(10);
  }
}

function toServiceProcess(started: RunningProcess, url: string, readyMs: number): ServiceProcess {
  return {
    ...started,
    url,
    readyMs,
    as: (credential) => callerOf(() => url, credential),
    stop: () => {
      started.signal('SIGTERM');
      return started.ended;
    },
    kill: async () => {
      started.signal('SIGKILL');
      await started.ended;
    },
  };
}

function watchProcess(child: ChildProcess): RunningProcess {
  const { pid } = child;
  if (pid === undefined) throw new Error('the process did not start');
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code, signal]): number | NodeJS.Signals => code ?? signal);
  return { pid, stdout: () => stdout, stderr: () => stderr, ended, signal: (signal) => void child.kill(signal) };
}

/** Excludes the settings of the test run from the environment of the services. */
function environmentOf(settings: Environment): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(SLUICE_|NODE_|VITEST)/.test(name));
  return { ...Object.fromEntries(inherited), ...settings };
}
