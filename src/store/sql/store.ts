import type { MetadataStore, Repositories } from '../metadata-store.ts';
import { auditRepository } from './audit/audit-repository.ts';
import { createCatalogIndex } from './catalog/catalog-index.ts';
import { type Atomically, type Db, runInTransaction } from './db.ts';
import type { SqlKind } from './migrations/migration.ts';
import { apiKeyRepository } from './repositories/api-keys.ts';
import {
  dataFileRepository,
  executionRepository,
  guessRepository,
  leaseRepository,
  limitRepository,
} from './repositories/coordination.ts';
import { databaseRepository, databaseStatements } from './repositories/databases.ts';
import { oauthRepository } from './repositories/oauth.ts';
import { principalReader, principalStatements } from './repositories/principals.ts';
import { queryRepository, queryStatements } from './repositories/queries.ts';
import { queryUseRepository } from './repositories/query-uses.ts';
import { roleRepository } from './repositories/roles.ts';
import { sessionRepository } from './repositories/sessions.ts';
import { settingRepository } from './repositories/settings.ts';
import { embedRepository, linkRepository } from './repositories/shares.ts';
import { userRepository } from './repositories/users.ts';
import { viewerRepository } from './repositories/viewers.ts';

export function sqlStore(db: Db, kind: SqlKind): MetadataStore {
  const statements = {
    principals: principalStatements(db),
    databases: databaseStatements(db),
    queries: queryStatements(db),
  };
  const atomically: Atomically = (work) => runInTransaction(db, work);

  function repositories(on: Db, atomicallyOn: Atomically): Repositories {
    return {
      principals: principalReader(on, statements.principals),
      users: userRepository(on, atomicallyOn),
      viewers: viewerRepository(on, atomicallyOn),
      oauth: oauthRepository(on, atomicallyOn),
      roles: roleRepository(on),
      apiKeys: apiKeyRepository(on, atomicallyOn),
      sessions: sessionRepository(on),
      embeds: embedRepository(on, atomicallyOn),
      links: linkRepository(on, atomicallyOn),
      databases: databaseRepository(on, statements.databases),
      queries: queryRepository(on, kind, atomicallyOn, statements.queries),
      queryUses: queryUseRepository(on, kind, atomicallyOn),
      audit: auditRepository(on, kind, atomicallyOn),
      settings: settingRepository(on),
      executions: executionRepository(on),
      leases: leaseRepository(on),
      dataFiles: dataFileRepository(on),
      guesses: guessRepository(on),
    };
  }

  const outside = repositories(db, atomically);
  return {
    ...outside,
    catalog: createCatalogIndex(outside),
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
