import { randomInt, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Passwords } from '../access/password.ts';
import { administratorRole, seedRoles } from '../access/permission.ts';
import type { Role } from '../access/user.ts';
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
  readonly demoProblem: string | null; // why the demo database cannot be made or opened
}

/** What an empty store needs: roles, the administrator, the demo. */
export async function firstStart(parts: FirstStartParts): Promise<FirstStart> {
  const generatedPassword = await retryIfTaken(() => makeAdministrator(parts));
  const demoProblem = parts.config.demo ? await demoProblemOf(retryIfTaken(() => makeDemo(parts))) : null;
  return { generatedPassword, demoProblem };
}

/** A service without its demo is still a service. */
async function demoProblemOf(making: Promise<void>): Promise<string | null> {
  try {
    await making;
    return null;
  } catch (error) {
    if (error instanceof ConnectorError && error.kind === 'unavailable') return error.message;
    throw error;
  }
}

/** Of several replicas on one empty store the slower ones may meet the rows of the first only when they insert their own. */
async function retryIfTaken<T>(make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof StoreError && error.kind === 'taken') return make(); // now it finds them
    throw error;
  }
}

async function makeAdministrator({ config, store, passwords, now }: FirstStartParts): Promise<string | null> {
  if ((await store.users.count()) > 0) return null;
  const generated = config.adminPassword === null ? generatePassword() : null;
  const passwordHash = await passwords.hash(config.adminPassword ?? generated ?? '');
  const made = await store.transaction(async (repositories) => {
    // of several replicas on one empty store only the first makes it
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
      id: randomUUID(),
      username: ADMIN,
      fullName: 'Administrator',
      email: '',
      passwordHash,
      externalId: null,
      credentialVersion: 1,
      roleIds: roles.filter((role) => role.builtIn).map((role) => role.id),
      databaseScope: '*',
      expiresAt: null,
      disabled: false,
      version: 1,
      createdAt: now(),
    });
    return true;
  });
  return made ? generated : null;
}

/** Letters and digits that cannot be mistaken for one another. */
export function generatePassword(): string {
  const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789';
  return Array.from({ length: 20 }, () => alphabet[randomInt(alphabet.length)]).join('');
}

const DEMO_MADE = 'demo.made';

/** The demo comes once: who deletes it does not want it back at the next start. */
async function makeDemo({ config, store, connections, demo, now }: FirstStartParts): Promise<void> {
  const madeBefore = (await store.settings.all())[DEMO_MADE] === true;
  if (madeBefore && !(await store.databases.all()).some((each) => each.builtIn)) return;
  if (!existsSync(demo.file)) await demo.make(demo.file); // a new replica has its own file
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
      if ((await repositories.settings.all())[DEMO_MADE] === true || (await repositories.databases.byName(DEMO)) !== null)
        return false;
      await repositories.databases.insert(database);
      await repositories.settings.set(DEMO_MADE, true);
      return true;
    },
    queries: demo.queries,
    connections,
    namePrefix: config.namePrefix,
    newId: randomUUID,
    now,
    by: ADMIN,
  });
}
