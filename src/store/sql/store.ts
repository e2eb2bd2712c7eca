import type { MetadataStore, Repositories } from '../metadata-store.ts';
import { apiKeyRepository } from './api-keys.ts';
import { type Atomically, inTransaction } from './atomically.ts';
import { auditRepository } from './audit.ts';
import { executionRepository, guessRepository, leaseRepository, limitRepository } from './coordination.ts';
import { databaseRepository, databaseStatements } from './databases.ts';
import { embedRepository } from './embeds.ts';
import { followedCatalog } from './followed-catalog.ts';
import type { SqlKind } from './migrations/migration.ts';
import { principalReader, principalStatements } from './principals.ts';
import { queryRepository, queryStatements } from './queries.ts';
import { queryUseRepository } from './query-uses.ts';
import { roleRepository } from './roles.ts';
import type { Db } from './schema.ts';
import { sessionRepository } from './sessions.ts';
import { settingRepository } from './settings.ts';
import { userRepository } from './users.ts';

export function sqlStore(db: Db, kind: SqlKind): MetadataStore {
  const statements = {
    principals: principalStatements(db),
    databases: databaseStatements(db),
    queries: queryStatements(db),
  };
  const atomically: Atomically = (work) => inTransaction(db, work);

  function repositories(on: Db, atomicallyOn: Atomically): Repositories {
    return {
      principals: principalReader(on, statements.principals),
      users: userRepository(on, atomicallyOn),
      roles: roleRepository(on),
      apiKeys: apiKeyRepository(on, atomicallyOn),
      sessions: sessionRepository(on),
      embeds: embedRepository(on, atomicallyOn),
      databases: databaseRepository(on, statements.databases),
      queries: queryRepository(on, kind, atomicallyOn, statements.queries),
      queryUses: queryUseRepository(on, kind, atomicallyOn),
      audit: auditRepository(on, kind, atomicallyOn),
      settings: settingRepository(on),
      executions: executionRepository(on),
      leases: leaseRepository(on),
      guesses: guessRepository(on),
    };
  }

  const outside = repositories(db, atomically);
  return {
    ...outside,
    catalog: followedCatalog(outside),
    limits: kind === 'postgres' ? limitRepository(db) : null,
    transaction: (work) => atomically((inside) => work(repositories(inside, (part) => part(inside)))),
    async ping() {
      const row = { holder: '', untilAt: 0 };
      const upsert = db.insertInto('leases').values({ name: 'ping', ...row });
      await upsert.onConflict((conflict) => conflict.column('name').doUpdateSet(row)).execute();
    },
    close: () => db.destroy(),
  };
}
