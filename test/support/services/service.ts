import { copyFile, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { type Service, startService } from '../../../src/main.ts';
import { createLog } from '../../../src/operations/log.ts';
import { checkDescribed } from '../http/openapi.ts';
import { ADMIN_PASSWORD } from './data-template.ts';
import { createFreshStore } from './metadata-store.ts';

export { ADMIN_PASSWORD };

export interface TestService {
  readonly url: string;
  readonly folder: string; // the data folder
  readonly files: string; // allowed folder of database files
  readonly metadataUrl: string | null; // set when the metadata store is PostgreSQL
  readonly log: () => readonly string[]; // log lines so far
  /** A caller with a credential, or without one. */
  as(credential?: TestCredential): Caller;
  /** Restarts the service on the same folder. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export type TestCredential = { username: string; password: string } | { key: string } | { token: string } | { cookie: string };

export interface ApiResponse<T = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: T;
}

export interface Caller {
  call<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<ApiResponse<T>>;
  /** Calls JsonBuilder/ExecuteQuery. */
  run(queryName: string, parameters?: readonly unknown[], headers?: Record<string, string>): Promise<ApiResponse<ResultPage>>;
}

export interface ResultPage {
  readonly Data: readonly Record<string, unknown>[];
  readonly RowSize: number;
  readonly NextRowIndex: number;
  readonly QueryMoreCode: string | null;
}

export const admin = { username: 'admin', password: ADMIN_PASSWORD };

/** Starts the service in this process on a free loopback port and a temporary folder. `environment` contains SLUICE_… settings. */
export async function startTestService(environment: Record<string, string> = {}, now = Date.now): Promise<TestService> {
  const root = await mkdtemp(join(tmpdir(), 'sluice-test-'));
  const folder = environment.SLUICE_DATA ?? join(root, 'data');
  const files = join(root, 'files');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await mkdir(files);
  const store = await createFreshStore();
  if (usesTemplate({ ...store, ...environment })) await cp(inject('dataTemplate'), folder, { recursive: true });
  else if (environment.SLUICE_DEMO !== 'off') await copyFile(inject('demoFile'), join(folder, 'demo.duckdb'));
  const lines: string[] = [];
  const log = createLog({ logLevel: 'info' }, { write: (line: string) => void lines.push(line) });
  const start = (): Promise<Service> =>
    startService(
      readConfig({
        SLUICE_PORT: '0',
        SLUICE_DATA: folder,
        SLUICE_FILES: files,
        SLUICE_ADMIN_PASSWORD: ADMIN_PASSWORD,
        ...store,
        ...environment,
      }),
      log,
      undefined,
      now,
    );
  let service = await start();
  return {
    get url() {
      return service.url;
    },
    folder,
    files,
    metadataUrl: environment.SLUICE_METADATA_URL ?? store.SLUICE_METADATA_URL ?? null,
    log: () => lines,
    as: (credential) => callerOf(() => service.url, credential),
    restart: async () => {
      await service.close();
      service = await start();
    },
    close: async () => {
      await service.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** A first start with these settings would create other metadata. */
const firstStartSettings = ['SLUICE_DATA', 'SLUICE_DEMO', 'SLUICE_ADMIN_PASSWORD', 'SLUICE_METADATA_URL', 'SLUICE_CONFIG'];
const usesTemplate = (environment: Readonly<Record<string, string>>): boolean =>
  firstStartSettings.every((name) => environment[name] === undefined);

export interface List<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

export async function expectStatus<T>(sent: Promise<ApiResponse<T>>, status: number): Promise<ApiResponse<T>> {
  const response = await sent;
  if (response.status !== status) throw new Error(`expected ${status}, got ${response.status}: ${response.text.slice(0, 2000)}`);
  return response;
}

/** A caller of any running service. Its responses must be as the OpenAPI document describes them. */
export function callerOf(url: () => string, credential?: TestCredential): Caller {
  const call: Caller['call'] = async (method, path, body, headers = {}) => {
    const response = await fetch(url() + path, {
      method,
      headers: {
        ...credentialHeaders(credential),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    await checkDescribed(url(), method, path, { status: response.status, headers: response.headers, text });
    return { status: response.status, headers: response.headers, text, json: parseBody(text) };
  };
  return {
    call,
    run: (QueryName, Parameters = [], headers = {}) =>
      call('POST', '/api/v1/JsonBuilder/ExecuteQuery', { QueryName, Parameters }, headers),
  };
}

function credentialHeaders(credential: TestCredential | undefined): Record<string, string> {
  if (credential === undefined) return {};
  if ('key' in credential) return { 'X-API-Key': credential.key };
  if ('token' in credential) return { Authorization: `Bearer ${credential.token}` };
  if ('cookie' in credential) return { Cookie: credential.cookie };
  return { Authorization: `Basic ${Buffer.from(`${credential.username}:${credential.password}`).toString('base64')}` };
}

function parseBody<T>(text: string): T {
  try {
    return JSON.parse(text);
  } catch {
    return undefined as T;
  }
}
