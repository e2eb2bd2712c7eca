import { randomInt, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Passwords } from '../access/password.ts';
import { administratorRole, seedRoles } from '../access/permission.ts';
import type { Role } from '../access/user.ts';
import { createUser } from '../administration/users/users.ts';
import type { Config } from '../config/config.ts';
import { type Connections, ConnectorError } from '../connectors/connector.ts';
import { type DatabaseRecord, type MetadataStore, StoreError } from '../store/metadata-store.ts';
import { type DemoQuery, seedDemo } from './seed-demo.ts';

export interface FirstStartParts {
  readonly config: Config;
  readonly store: MetadataStore;
  readonly passwords: Passwords;
  readonly connections: Connections;
  readonly demo: {
    readonly file: string;
    readonly make: (file: string) => Promise<void>;
    readonly queries: readonly DemoQuery[];
  };
  readonly now: () => number;
}

export const ADMIN = 'admin';
const DEMO = 'Demo';

export interface FirstStart {
  readonly generatedPassword: string | null; // shown once
  readonly demoProblem: string | null; // why the demo database cannot be created or opened
}

/** Fills an empty store with roles, the administrator and the demo. */
export async function prepareFirstStart(parts: FirstStartParts): Promise<FirstStart> {
  const generatedPassword = await retryIfTaken(() => makeAdministrator(parts));
  const demoProblem = parts.config.demo ? await demoProblemOf(retryIfTaken(() => makeDemo(parts))) : null;
  return { generatedPassword, demoProblem };
}

/** The service starts without the demo if its engine is unavailable. */
async function demoProblemOf(making: Promise<void>): Promise<string | null> {
  try {
    await making;
    return null;
  } catch (error) {
    if (error instanceof ConnectorError && error.kind === 'unavailable') return error.message;
    throw error;
  }
}

/** Concurrent replicas on an empty store may only notice each other when they insert their rows. */
async function retryIfTaken<T>(make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof StoreError && error.kind === 'taken') return make(); // now finds the rows of the other replica
    throw error;
  }
}

async function makeAdministrator({ config, store, passwords, now }: FirstStartParts): Promise<string | null> {
  if ((await store.users.count()) > 0) return null;
  const generated = config.adminPassword === null ? generatePassword() : null;
  const passwordHash = await passwords.hash(config.adminPassword ?? generated ?? '');
  const made = await store.transaction(async (repositories) => {
    // concurrent replicas: only the first creates it
    if ((await repositories.users.count()) > 0) return false;
    const roles: readonly Role[] = seedRoles.map(({ name, permissions }) => ({
      id: randomUUID(),
      name,
      permissions,
      builtIn: name === administratorRole,
      version: 1,
    }));
    for (const role of roles) await repositories.roles.insert(role);
    await repositories.users.insert({
      ...createUser(ADMIN, now()),
      fullName: 'Administrator',
      passwordHash,
      roleIds: roles.filter((role) => role.builtIn).map((role) => role.id),
      databaseScope: '*',
    });
    return true;
  });
  return made ? generated : null;
}

/** Letters and digits without look-alikes. */
export function generatePassword(): string {
  const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789';
  return Array.from({ length: 20 }, () => alphabet[randomInt(alphabet.length)]).join('');
}

export const DEMO_MADE = 'demo.made';

/** Creates the demo once: a deleted demo does not come back. */
async function makeDemo({ config, store, connections, demo, now }: FirstStartParts): Promise<void> {
  const madeBefore = (await store.settings.readAll())[DEMO_MADE] === true;
  if (madeBefore && !(await store.databases.listAll()).some((each) => each.builtIn)) return;
  if (!existsSync(demo.file)) await demo.make(demo.file); // each replica has its own file
  if (madeBefore) return;

  const database: DatabaseRecord = {
    id: randomUUID(),
    name: DEMO,
    kind: 'duckdb',
    connection: { file: 'demo.duckdb' },
    sealedSecrets: null,
    settings: {},
    description: 'A retail company: customers, products, stores, orders, order lines and daily stock, 2022 to 2025.',
    disabled: false,
    writable: false,
    builtIn: true,
    version: 1,
    createdAt: now(),
    deletedAt: null,
  };
  await seedDemo({
    store,
    database,
    claim: async (repositories) => {
      if ((await repositories.settings.readAll())[DEMO_MADE] === true || (await repositories.databases.byName(DEMO)) !== null)
        return false;
      await repositories.databases.insert(database);
      await repositories.settings.set(DEMO_MADE, true);
      return true;
    },
    queries: demo.queries,
    connections,
    namePrefix: config.namePrefix,
    now,
    by: ADMIN,
  });
}
